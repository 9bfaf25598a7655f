import ParleyProtocol

/// Rows under headings, each column as wide as its widest cell.
struct Table {
    private var rows: [[String]]

    init(headings: [String]) {
        rows = [headings]
    }

    mutating func add(_ row: [String]) {
        rows.append(row.map(\.printable))
    }

    /// Prints it; of an empty one it is said on standard error that it is.
    func print() {
        guard rows.count > 1 else { return Terminal.report("there is nothing yet") }
        lines.forEach(Terminal.print)
    }

    var lines: [String] {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (index, cell) in row.enumerated() {
                if index < widths.count {
                    widths[index] = max(widths[index], cell.count)
                } else {
                    widths.append(cell.count)
                }
            }
        }
        return rows.map { row in
            let line = zip(row, widths).map { cell, width in cell.padded(to: width) }.joined(separator: "  ")
            return line.trimmingSpacesAtEnd()
        }
    }
}
