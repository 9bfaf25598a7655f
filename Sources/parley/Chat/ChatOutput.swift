import TerminalPictures

/// Where a chat is shown.
enum ChatOutput: Sendable {
    /// On the whole screen of a terminal.
    case screen(RawTerminal)
    /// Line by line, with nothing that moves a cursor.
    case lines

    var size: TerminalSize {
        switch self {
        case .screen(let terminal): terminal.size
        case .lines: .usual
        }
    }

    var cell: CellSize {
        switch self {
        case .screen(let terminal): terminal.cell
        case .lines: .usual
        }
    }

    var isScreen: Bool {
        switch self {
        case .screen: true
        case .lines: false
        }
    }

    func write(_ bytes: [UInt8]) {
        switch self {
        case .screen(let terminal): terminal.write(bytes)
        case .lines: break
        }
    }
}
