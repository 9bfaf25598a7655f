/// Rows of text under a heading, for a terminal or for a document.
struct Table {
    let header: [String]
    /// How many columns, from the left, name the row; the others hold numbers.
    let names: Int
    var rows: [[String]] = []

    init(_ header: [String], names: Int) {
        self.header = header
        self.names = names
    }

    enum Style {
        case plain, markdown
    }

    func text(_ style: Style) -> String {
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
