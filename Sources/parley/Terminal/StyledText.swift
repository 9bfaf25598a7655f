/// A text for one row of a terminal, in styled pieces.
///
/// Every text is made printable first, so that no byte of a user's text reaches the terminal as a command.
struct StyledText: Hashable, Sendable {
    struct Piece: Hashable, Sendable {
        let text: String
        let style: Style
    }

    private(set) var pieces: [Piece] = []

    init(_ text: String = "", _ style: Style = .plain) {
        append(text, style)
    }

    mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(text: text.printable, style: style))
    }

    static func + (left: StyledText, right: StyledText) -> StyledText {
        var result = left
        result.pieces += right.pieces
        return result
    }

    var columns: Int { pieces.reduce(0) { $0 + $1.text.columns } }

    /// Without styles.
    var text: String { pieces.map(\.text).joined() }

    /// The longest prefix that fits into so many columns.
    func prefix(columns: Int) -> StyledText {
        var left = columns
        var result = StyledText()
        for piece in pieces where left > 0 {
            let text = piece.text.prefix(columns: left)
            result.pieces.append(Piece(text: text, style: piece.style))
            left -= piece.text.columns
        }
        return result
    }

    /// Filled with spaces in the style of the last piece.
    func padded(toColumns width: Int) -> StyledText {
        var result = self
        result.append(String(repeating: " ", count: max(0, width - columns)), pieces.last?.style ?? .plain)
        return result
    }
}

/// How a piece of text looks.
enum Style: Hashable, Sendable {
    case plain
    case bold
    case faint
    case warning
    /// A person's name.
    case name
    case ownName
    case good
    /// Of a bar across the screen.
    case reversed

    /// The parameters of the sequence that switches it on (ECMA-48 §8.3.117, SGR).
    var parameters: String {
        switch self {
        case .plain: "0"
        case .bold: "0;1"
        case .faint: "0;2"
        case .warning: "0;1;33"
        case .name: "0;1;36"
        case .ownName: "0;1;32"
        case .good: "0;36"
        case .reversed: "0;7"
        }
    }
}
