/// A time in which the database that cells share has lost nothing. With each next one all conversations begin new
/// epochs.
///
/// Of two eras the one with the higher number began later, or on another line of the database: either way all epochs
/// of the other one are over in it.
package struct DatabaseEra: Hashable, Sendable {
    /// Counts from 1.
    package let number: Int
    /// Random: a database that was put back, and begins again, has another one under the same number.
    package let name: String

    package init(number: Int, name: String) { (self.number, self.name) = (number, name) }

    /// One that is later than all of these, and the first of none.
    package init(after eras: [DatabaseEra?], name: String) {
        self.init(number: (eras.compactMap(\.?.number).max() ?? 0) &+ 1, name: name)
    }

    /// As it is stored: `3-abc`.
    package var text: String { "\(number)-\(name)" }

    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), number > 0, !parts[1].isEmpty else { return nil }
        self.init(number: number, name: String(parts[1]))
    }
}
