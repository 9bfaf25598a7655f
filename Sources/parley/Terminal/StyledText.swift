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
    func parameters(_ palette: Palette) -> String {
        switch (self, palette) {
        case (.plain, _): "0"
        case (.bold, _), (.warning, .plain), (.name, .plain), (.ownName, .plain), (.good, .plain): "0;1"
        case (.faint, _): "0;2"
        case (.warning, .colored): "0;1;33"
        case (.name, .colored): "0;1;36"
        case (.ownName, .colored): "0;1;32"
        case (.good, .colored): "0;36"
        case (.reversed, _): "0;7"
        }
    }
}

/// Whether colours are used. Whatever a colour says is said without it, too.
enum Palette: Hashable, Sendable {
    case colored
    /// Bold, faint and reversed only.
    case plain

    /// As the person wants it: none with `NO_COLOR` (no-color.org).
    init(_ environment: (String) -> String?) {
        self = environment("NO_COLOR") == nil ? .colored : .plain
    }
}
