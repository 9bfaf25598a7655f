/// The name of a backup that `parleyd backup` gives: `parley-20261127T031542Z.backup`. What has another name is no
/// backup of the timer's, and is never removed.
package struct BackupName: Hashable, Sendable, CustomStringConvertible {
    package let at: Timestamp

    private static let (prefix, suffix) = ("parley-", ".backup")

    /// - Parameter at: the part below a second is dropped.
    package init(at: Timestamp) {
        let milliseconds = at.milliseconds
        self.at = Timestamp(milliseconds: milliseconds - ((milliseconds % 1000) + 1000) % 1000)
    }

    /// `nil` for any other name.
    package init?(_ name: String) {
        guard name.utf8.count == Self.prefix.utf8.count + 16 + Self.suffix.utf8.count, name.hasPrefix(Self.prefix),
            name.hasSuffix(Self.suffix)
        else { return nil }
        let stamp = Array(name.utf8.dropFirst(Self.prefix.utf8.count).prefix(16))
        func part(_ range: Range<Int>) -> String { String(decoding: stamp[range], as: UTF8.self) }
        let text =
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15)).000Z"
        guard let at = Timestamp(text) else { return nil }
        self.init(at: at)
        // The one text of that time.
        guard description == name else { return nil }
    }

    package var description: String {
        let digits = at.description.utf8.prefix(19).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        return Self.prefix + String(decoding: digits, as: UTF8.self) + "Z" + Self.suffix
    }
}
