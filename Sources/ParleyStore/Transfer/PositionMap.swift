/// Where positions of the streams of one database stand in the stream of a gateway of another.
///
/// The order within each stream stays, and a stream comes behind those of cells with lower numbers. What has no
/// position, the start of a stream, is the start of the target's.
package struct PositionMap: Sendable {
    /// By cell: what is added to a position's count within its stream.
    private let bases: [Int: Int]
    private let origin: StreamPosition
    /// The last position of the target.
    package let end: StreamPosition

    /// - Parameter ends: the last position of each stream of the source.
    init(_ ends: [StreamPosition], to target: Stream) {
        var (bases, base) = ([Int: Int](), target.start.value)
        for end in ends.sorted() {
            bases[end.cell] = base
            base += PositionMap.count(end.value)
        }
        (self.bases, origin, end) = (bases, target.start, StreamPosition(base))
    }

    private static func count(_ position: Int) -> Int { position & (1 << Stream.cellBits - 1) }

    func map(_ position: Int) throws(TransferError) -> Int {
        let count = PositionMap.count(position)
        guard count > 0 else { return origin.value }
        guard position > 0, let base = bases[StreamPosition(position).cell] else { throw .foreignPosition(position) }
        return base + count
    }
}
