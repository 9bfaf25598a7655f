import TerminalPictures

/// How a terminal shows pictures. No message can say.
enum PictureSupport: Hashable, Sendable {
    /// By kitty's graphics protocol, which takes a PNG as it is.
    case kitty
    /// By sixel graphics, which take pixels in a few colors.
    case sixel
    /// Not that we know.
    case none

    private static let terminals = ["xterm-kitty", "xterm-ghostty"]
    private static let programs = ["ghostty", "WezTerm"]

    /// As the environment says, which alone tells of kitty's protocol.
    ///
    /// - Parameter variable: the value of a variable; `nil` without one.
    /// - Returns: `nil` where it says nothing, and the terminal can be asked.
    init?(_ variable: (_ name: String) -> String?) {
        // Neither of the two passes kitty's protocol on. Both answer for themselves.
        let isWithinAnother = variable("TMUX") != nil || variable("STY") != nil
        let isKnown =
            variable("KITTY_WINDOW_ID") != nil || PictureSupport.terminals.contains(variable("TERM") ?? "")
            || PictureSupport.programs.contains(variable("TERM_PROGRAM") ?? "")
        guard isKnown, !isWithinAnother else { return nil }
        self = .kitty
    }

    /// As the terminal has answered ``question``: the attributes behind the first, which is its class.
    init(attributes: [Int]) {
        self = attributes.dropFirst().contains(PictureSupport.sixelAttribute) ? .sixel : .none
    }

    /// Asks a terminal for its attributes (DA1, `Primary Device Attributes`). All there are answer, and show nothing.
    static let question = Array("\u{1B}[c".utf8)
    /// How long an answer may take; a terminal on another machine has its way.
    static let longestAnswer: Duration = .seconds(2)
    private static let sixelAttribute = 4

    /// The picture as this terminal shows it.
    ///
    /// - Returns: `nil` if it cannot be shown.
    func drawing(of picture: PNGPicture, in room: PictureRoom) -> PictureDrawing? {
        switch self {
        case .kitty:
            PictureDrawing(bytes: KittyGraphics.show(picture, in: room), removal: KittyGraphics.removal)
        case .sixel:
            // It goes with the screen's text.
            (try? SixelGraphics.show(picture, in: room)).map { PictureDrawing(bytes: $0, removal: []) }
        case .none: nil
        }
    }
}

/// What a terminal is sent to show a picture at its cursor, and to remove it.
struct PictureDrawing: Hashable, Sendable {
    let bytes: [UInt8]
    let removal: [UInt8]
}

extension PictureRoom {
    /// All of a screen but its last row.
    init(_ size: TerminalSize, _ cell: CellSize) {
        self.init(columns: size.columns, rows: size.rows - 1, cell: cell)
    }
}
