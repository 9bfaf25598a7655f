/// A place in the one order of all that a writer publishes: opaque, and of that writer alone.
///
/// What it is made of is the store's. Two of different writers say nothing of each other.
package struct StreamPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    let value: Int

    init(_ value: Int) { self.value = value }

    /// Before everything that was ever published.
    package static let start = StreamPosition(0)

    /// The number that the gateway notes outside the database, to see whether that was put back.
    package var noted: Int { value }

    /// - Parameter noted: as `noted` has said it.
    package init(noted: Int) { value = noted }

    /// The place after this one.
    package func next() throws(StoreError) -> StreamPosition {
        let (next, overflow) = value.addingReportingOverflow(1)
        guard !overflow else { throw .failed(code: 0, message: "no more positions") }
        return StreamPosition(next)
    }

    /// How many places are from here to another.
    package func distance(to other: StreamPosition) -> Int { other.value - value }

    package static func < (one: StreamPosition, other: StreamPosition) -> Bool { one.value < other.value }

    package var description: String { "\(value)" }
}
