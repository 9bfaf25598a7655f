/// Rows of text under a heading, for a terminal or for a document.
package struct Table {
    package let header: [String]
    /// How many columns, from the left, name the row; the others hold numbers.
    package let names: Int
    package var rows: [[String]] = []

    package init(_ header: [String], names: Int) { (self.header, self.names) = (header, names) }

    package enum Style {
        case plain, markdown
    }

    package func text(_ style: Style) -> String {
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column < names ? cell.0 + space : space + cell.0
            }
            switch style {
            case .plain: return padded.joined(separator: "  ")
            case .markdown: return "| " + padded.joined(separator: " | ") + " |"
            }
        }
        let rule =
            switch style {
            case .plain: widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
            case .markdown: "|" + widths.indices.map { $0 < names ? " --- |" : " ---: |" }.joined()
            }
        return ([line(header), rule] + rows.map(line)).joined(separator: "\n")
    }
}
