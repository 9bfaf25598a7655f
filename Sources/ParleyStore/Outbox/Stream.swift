/// The stream of one gateway among those that share a database: its positions, and its row in tables with one for each.
///
/// A position has the cell's number in its upper bits, so that the positions of a stream are a range.
package struct Stream: Hashable, Sendable {
    /// The gateway of a database file, which shares it with nobody.
    package static let only = Stream(row: 1, first: 0)

    static let cellBits = 48

    /// The `id` of its row.
    let row: Int
    /// Before all of its positions.
    package let start: StreamPosition

    private init(row: Int, first: Int) {
        self.row = row
        start = StreamPosition(first)
    }

    /// - Parameter cell: from 1 on.
    package init(cell: Int) { self.init(row: cell, first: cell << Stream.cellBits) }

    /// Behind all of its positions.
    var end: StreamPosition { StreamPosition(start.value + (1 << Stream.cellBits)) }
}
