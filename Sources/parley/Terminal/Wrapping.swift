extension String {
    /// Broken into rows of at most so many columns: at spaces where there are some, else where the row is full.
    ///
    /// - Returns: at least one row; empty for an empty text.
    func wrapped(toColumns width: Int) -> [String] {
        let width = max(width, 1)
        var rows: [String] = []
        var row = RowInProgress()
        for character in self {
            let columns = character.columns
            if character == " ", row.columns >= width {
                row.end()
                continue
            }
            while row.columns + columns > width, !row.text.isEmpty { rows.append(row.breakRow()) }
            row.append(character, columns)
        }
        return rows + [row.text]
    }
}

/// A row that is being filled.
private struct RowInProgress {
    private(set) var text = ""
    private(set) var columns = 0
    /// Where the row could be broken: behind its last space.
    private var breakPoint: (index: String.Index, columns: Int)?

    mutating func append(_ character: Character, _ columns: Int) {
        text.append(character)
        self.columns += columns
        if character == " " { end() }
    }

    /// A word ends here.
    mutating func end() {
        breakPoint = (text.endIndex, columns)
    }

    /// Gives up a full row and goes on with what did not fit.
    mutating func breakRow() -> String {
        guard let point = breakPoint else {
            defer { self = RowInProgress() }
            return text
        }
        let full = String(text[..<point.index]).trimmingSpacesAtEnd()
        text = String(text[point.index...])
        columns -= point.columns
        breakPoint = nil
        return full
    }
}
