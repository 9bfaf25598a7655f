/// A place in the one order of all that a writer publishes. It is opaque, and positions of different writers cannot be
/// compared.
package struct StreamPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    let value: Int

    init(_ value: Int) { self.value = value }

    /// Before everything that was ever published.
    package static let start = StreamPosition(0)

    /// What the gateway stores outside of the database too, to recognize one that was put back.
    package var number: Int { value }

    /// - Parameter number: as `number` has returned it.
    package init(number: Int) { value = number }

    /// The place after this one.
    package func next() throws(StoreError) -> StreamPosition {
        let (next, overflow) = value.addingReportingOverflow(1)
        guard !overflow else { throw .inconsistent(.noMorePositions) }
        return StreamPosition(next)
    }

    /// How many places are from here to another.
    package func distance(to other: StreamPosition) -> Int { other.value - value }

    package static func < (one: StreamPosition, other: StreamPosition) -> Bool { one.value < other.value }

    package var description: String { "\(value)" }
}
