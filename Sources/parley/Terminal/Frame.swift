import Platform
import TerminalPictures

/// The content of a terminal's screen.
struct Frame: Hashable, Sendable {
    let size: TerminalSize
    /// From the top; those that are missing are empty.
    let rows: [StyledText]
    let cursor: Position

    struct Position: Hashable, Sendable {
        /// From 0.
        let row: Int
        /// From 0.
        let column: Int
    }

    /// The bytes that turn a screen that shows `previous` into this one; `nil` for an unknown screen.
    ///
    /// Every row is set at its own place and its end erased, so that a character that is wider than thought spoils no
    /// other row.
    func bytes(after previous: Frame?, _ palette: Palette = .colored) -> [UInt8] {
        guard self != previous else { return [] }
        var output = "\u{1B}[?25l"
        var shown = previous
        if shown?.size != size {
            shown = nil
            output += "\u{1B}[0m\u{1B}[2J"
        }
        for row in 0..<size.rows {
            let text = rows.indices.contains(row) ? rows[row] : StyledText()
            let old = shown.map { $0.rows.indices.contains(row) ? $0.rows[row] : StyledText() }
            guard text != (old ?? StyledText()) else { continue }
            // Erased before it is written: behind the last column the cursor would stand on that still.
            output += "\u{1B}[\(row + 1);1H\u{1B}[0m\u{1B}[K"
            for piece in text.prefix(columns: size.columns).pieces {
                output += "\u{1B}[\(piece.style.parameters(palette))m" + piece.text
            }
        }
        output += "\u{1B}[0m\u{1B}[\(cursor.row + 1);\(min(cursor.column, size.columns - 1) + 1)H\u{1B}[?25h"
        return Array(output.utf8)
    }
}

/// How large a terminal is, in characters.
struct TerminalSize: Hashable, Sendable {
    let columns: Int
    let rows: Int

    /// For a terminal that does not say.
    static let usual = TerminalSize(columns: 80, rows: 24)

    /// Bounded to what can be worked with, whatever a terminal says of itself.
    init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), 1000)
        self.rows = min(max(rows, 1), 500)
    }
}

extension TerminalSize {
    /// Of the terminal behind a descriptor; `nil` for one that does not say.
    init?(of descriptor: Int32) {
        guard let size = winsize(of: descriptor), size.ws_col > 0, size.ws_row > 0 else { return nil }
        self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

extension CellSize {
    /// Of the terminal behind a descriptor; `nil` for one that does not say how many pixels it has.
    init?(of descriptor: Int32) {
        guard let size = winsize(of: descriptor), size.ws_col > 0, size.ws_row > 0, size.ws_xpixel >= size.ws_col,
            size.ws_ypixel >= size.ws_row
        else { return nil }
        self.init(width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
    }
}

extension winsize {
    /// `ioctl` with `TIOCGWINSZ`
    fileprivate init?(of descriptor: Int32) {
        self.init()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &self) == 0 else { return nil }
    }
}
