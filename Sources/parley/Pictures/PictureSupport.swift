import ParleyProtocol

/// How a terminal shows pictures, as the environment says: no terminal is asked, and no message can say.
enum PictureSupport: Hashable, Sendable {
    /// By kitty's graphics protocol, which takes a PNG as it is.
    case kitty
    /// Not that we know.
    case none

    private static let terminals = ["xterm-kitty", "xterm-ghostty"]
    private static let programs = ["ghostty", "WezTerm"]

    /// - Parameter variable: the value of a variable; `nil` without one.
    init(_ variable: (_ name: String) -> String?) {
        // Neither of the two passes pictures on.
        let isWithinAnother = variable("TMUX") != nil || variable("STY") != nil
        let isKnown =
            variable("KITTY_WINDOW_ID") != nil || PictureSupport.terminals.contains(variable("TERM") ?? "")
            || PictureSupport.programs.contains(variable("TERM_PROGRAM") ?? "")
        self = isKnown && !isWithinAnother ? .kitty : .none
    }
}

/// The bytes by which a terminal with kitty's graphics protocol shows a picture.
enum KittyGraphics {
    /// The longest part of a picture in one sequence.
    private static let longestPart = 4096
    /// How many pixels a character takes at least; a smaller picture is not enlarged.
    private static let (cellWidth, cellHeight) = (8, 16)

    /// Draws over a cleared screen, above its last row. The terminal is to answer nothing.
    static func show(_ picture: PNGPicture, size: TerminalSize) -> [UInt8] {
        var base64: [UInt8] = []
        Base64.append(picture.bytes, to: &base64)
        var keys = "a=T,f=100,q=2,C=1" + scale(picture, TerminalSize(columns: size.columns, rows: size.rows - 1))
        var output = Array("\u{1B}[0m\u{1B}[2J\u{1B}[H".utf8)
        var start = 0
        repeat {
            let end = min(start + longestPart, base64.count)
            output += Array("\u{1B}_G\(keys),m=\(end < base64.count ? 1 : 0);".utf8)
            output += base64[start..<end]
            output += [0x1B, UInt8(ascii: "\\")]
            (start, keys) = (end, "q=2")
        } while start < base64.count
        return output
    }

    /// Removes all pictures.
    static let removal = Array("\u{1B}_Ga=d,q=2\u{1B}\\".utf8)

    /// Bound by one side, the terminal keeps the proportions.
    private static func scale(_ picture: PNGPicture, _ room: TerminalSize) -> String {
        let (width, height) = (picture.width, picture.height)
        guard width > room.columns * cellWidth || height > room.rows * cellHeight else { return "" }
        let isBoundByWidth = width * room.rows * cellHeight >= height * room.columns * cellWidth
        return isBoundByWidth ? ",c=\(room.columns)" : ",r=\(room.rows)"
    }
}
