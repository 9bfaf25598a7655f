/// The room that a terminal has for a picture.
package struct PictureRoom: Hashable, Sendable {
    /// In characters.
    let columns: Int
    /// In characters.
    let rows: Int
    let cell: CellSize

    package init(columns: Int, rows: Int, cell: CellSize) {
        (self.columns, self.rows, self.cell) = (max(columns, 1), max(rows, 1), cell)
    }

    /// More pixels than this a side has no picture whose pixels we make ourselves.
    static let longestSide = 2048

    /// The size in pixels with which a picture fits, in its proportions. None is enlarged.
    func fitted(width: Int, height: Int) -> (width: Int, height: Int) {
        let most = (
            width: min(columns * cell.width, PictureRoom.longestSide),
            height: min(rows * cell.height, PictureRoom.longestSide)
        )
        guard width > most.width || height > most.height else { return (width, height) }
        return width * most.height >= height * most.width
            ? (most.width, max(1, height * most.width / width)) : (max(1, width * most.height / height), most.height)
    }
}

/// How many pixels a character of a terminal takes.
package struct CellSize: Hashable, Sendable {
    package let width: Int
    package let height: Int

    /// For a terminal that does not say.
    package static let usual = CellSize(width: 8, height: 16)

    /// Bounded to what can be worked with, whatever a terminal says of itself.
    package init(width: Int, height: Int) {
        self.width = min(max(width, 1), 256)
        self.height = min(max(height, 1), 256)
    }
}
