/// An opaque position in the stream of all that a writer publishes. Positions of different writers cannot be compared.
package struct StreamPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    let value: Int

    init(_ value: Int) { self.value = value }

    /// Before all events.
    package static let start = StreamPosition(0)

    /// For storage outside of the database, to recognize one that was put back.
    package var number: Int { value }

    package init(number: Int) { value = number }

    /// The number of the cell whose stream it is in; 0 of a gateway without neighbours.
    package var cell: Int { value >> Stream.cellBits }

    package func next() throws(StoreError) -> StreamPosition {
        let (next, overflow) = value.addingReportingOverflow(1)
        guard !overflow else { throw .inconsistent(.noMorePositions) }
        return StreamPosition(next)
    }

    /// The one before, which may be the start of a stream.
    package var previous: StreamPosition { StreamPosition(value > 0 ? value - 1 : 0) }

    package func distance(to other: StreamPosition) -> Int { other.value - value }

    package static func < (one: StreamPosition, other: StreamPosition) -> Bool { one.value < other.value }

    package var description: String { "\(value)" }
}
