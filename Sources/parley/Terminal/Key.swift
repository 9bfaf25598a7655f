/// A key, or a combination of keys, by its effect.
enum Key: Hashable, Sendable {
    /// Characters that were typed.
    case text(String)
    /// A text that was pasted as one; it may hold line ends.
    case paste(String)
    case enter
    /// A line end inside of the text.
    case newLine
    case backspace, delete
    case deleteWord, deleteToStart, deleteToEnd
    /// Inserts the text that one of the three deleted last.
    case restore
    case left, right, wordLeft, wordRight, home, end
    case up, down, pageUp, pageDown
    case interrupt, endOfInput, redraw
    /// A key that does nothing to a line.
    case beyond(Beyond)
    /// No key: which attributes the terminal has, as it was asked (``PictureSupport/question``).
    case attributes([Int])

    /// A key for the program around the line that is written.
    enum Beyond: Hashable, Sendable {
        case tab
        /// Esc by itself, or Ctrl-G.
        case cancel
        /// An arrow up or down with a modifier.
        case older, newer
        /// End with a modifier.
        case newest
        /// Alt and a digit from 1.
        case pick(Int)
        /// Alt-A.
        case nextUnread
        /// Alt-N, Alt-P.
        case next, previous
    }
}

extension Key {
    /// The key of an ASCII control character, as in Emacs and readline.
    init?(control byte: UInt8) {
        switch byte {
        case 0x01: self = .home
        case 0x02: self = .left
        case 0x03: self = .interrupt
        case 0x04: self = .endOfInput
        case 0x05: self = .end
        case 0x06: self = .right
        case 0x07: self = .beyond(.cancel)
        case 0x08, 0x7F: self = .backspace
        case 0x09: self = .beyond(.tab)
        case 0x0A, 0x0D: self = .enter
        case 0x0B: self = .deleteToEnd
        case 0x0C: self = .redraw
        case 0x0E: self = .down
        case 0x10: self = .up
        case 0x15: self = .deleteToStart
        case 0x17: self = .deleteWord
        case 0x19: self = .restore
        default: return nil
        }
    }

    /// The key of `ESC` and a character.
    init?(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "1")...UInt8(ascii: "9"): self = .beyond(.pick(Int(byte - UInt8(ascii: "0"))))
        case UInt8(ascii: "a"): self = .beyond(.nextUnread)
        case UInt8(ascii: "n"): self = .beyond(.next)
        case UInt8(ascii: "p"): self = .beyond(.previous)
        case UInt8(ascii: "b"): self = .wordLeft
        case UInt8(ascii: "f"): self = .wordRight
        case 0x0A, 0x0D: self = .newLine
        case 0x08, 0x7F: self = .deleteWord
        default: return nil
        }
    }

    /// What a control sequence stands for (ECMA-48 §5.4, and the function keys of xterm): `final` ends it, with a
    /// modifier as its second parameter.
    init?(final: UInt8, parameters: [Int]) {
        let isModified = parameters.count > 1 && parameters[1] > 1
        switch (final, parameters.first ?? 1) {
        case (UInt8(ascii: "A"), _): self = isModified ? .beyond(.older) : .up
        case (UInt8(ascii: "B"), _): self = isModified ? .beyond(.newer) : .down
        case (UInt8(ascii: "C"), _): self = isModified ? .wordRight : .right
        case (UInt8(ascii: "D"), _): self = isModified ? .wordLeft : .left
        case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), 1), (UInt8(ascii: "~"), 7): self = .home
        case (UInt8(ascii: "F"), _) where isModified: self = .beyond(.newest)
        case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), 4), (UInt8(ascii: "~"), 8): self = .end
        case (UInt8(ascii: "~"), 3): self = .delete
        case (UInt8(ascii: "~"), 5): self = .pageUp
        case (UInt8(ascii: "~"), 6): self = .pageDown
        default: return nil
        }
    }
}
