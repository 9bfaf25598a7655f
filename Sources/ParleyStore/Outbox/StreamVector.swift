/// A position in each of several streams; before all positions in those that it does not name.
package struct StreamVector: Hashable, Sendable {
    private var positions: [Int: StreamPosition] = [:]

    package init() {}

    package init(_ positions: some Sequence<StreamPosition>) { for position in positions { advance(to: position) } }

    package var isEmpty: Bool { positions.isEmpty }

    /// The position in the stream of a cell.
    package subscript(cell: Int) -> StreamPosition {
        positions[cell] ?? Stream(cell: cell).start
    }

    /// Goes on to a position in its stream, and never back.
    package mutating func advance(to position: StreamPosition) {
        let cell = position.cell
        positions[cell] = max(positions[cell] ?? position, position)
    }

    package mutating func advance(to other: StreamVector) {
        for position in other.positions.values { advance(to: position) }
    }

    /// Whether it is nowhere behind the other.
    package func covers(_ other: StreamVector) -> Bool {
        other.positions.allSatisfy { cell, position in self[cell] >= position }
    }
}
