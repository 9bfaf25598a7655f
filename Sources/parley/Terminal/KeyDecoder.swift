/// Turns the bytes of a terminal into keys, in whatever pieces they come.
///
/// Unknown sequences are dropped whole, so that no part of them is taken for text.
struct KeyDecoder {
    private enum State {
        case ground
        /// Behind `ESC`.
        case escape
        /// Behind `ESC [`: parameter bytes so far.
        case sequence([UInt8])
        /// Behind `ESC O`.
        case singleShift
        /// Inside of a bracketed paste; `endBytes` of its end were read.
        case paste(endBytes: Int)
    }

    private var state = State.ground
    private var pasted: [UInt8] = []
    /// Typed bytes that are no key yet.
    private var text: [UInt8] = []

    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    private static let longestSequence = 64
    /// More than a message can hold; the rest of a longer paste is dropped.
    static let longestPaste = 1 << 20

    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { decode(byte, &keys) }
        flushText(to: &keys, isWhole: false)
        return keys
    }

    /// Whether ESC was the last byte: the key, or the beginning of a sequence whose rest is on its way.
    var isBehindEscape: Bool {
        if case .escape = state { true } else { false }
    }

    /// Nothing has followed ESC: it was the key.
    mutating func endEscape() -> Key? {
        guard isBehindEscape else { return nil }
        state = .ground
        return .beyond(.cancel)
    }

    private mutating func decode(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground where byte == 0x1B:
            flushText(to: &keys, isWhole: true)
            state = .escape
        case .ground where byte < 0x20 || byte == 0x7F:
            flushText(to: &keys, isWhole: true)
            if let key = Key(control: byte) { keys.append(key) }
        case .ground: text.append(byte)
        case .escape: decodeEscaped(byte, &keys)
        case .sequence(let parameters): decodeSequence(byte, parameters, &keys)
        case .singleShift:
            state = .ground
            if let key = Key(final: byte, parameters: []) { keys.append(key) }
        case .paste(let endBytes): decodePasted(byte, endBytes, &keys)
        }
    }

    private mutating func decodeEscaped(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .singleShift
        case 0x1B: break
        default:
            state = .ground
            if let key = Key(escaped: byte) {
                keys.append(key)
            } else if byte < 0x20, let key = Key(control: byte) {
                // The key ESC by itself, and then another.
                keys.append(key)
            }
        }
    }

    private mutating func decodeSequence(_ byte: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
        switch byte {
        case 0x20...0x3F:
            // Beyond any that is known: the rest goes on being read until its end, and is not kept.
            state = .sequence(parameters.count < KeyDecoder.longestSequence ? parameters + [byte] : parameters)
        case 0x40...0x7E:
            state = .ground
            let numbers = KeyDecoder.numbers(parameters[...])
            if parameters.first == UInt8(ascii: "?") {
                // An answer, and no key: that to `DA1` ends in c, and others were not asked for.
                if byte == UInt8(ascii: "c") { keys.append(.attributes(KeyDecoder.numbers(parameters.dropFirst()))) }
            } else if byte == UInt8(ascii: "~"), numbers.first == 200 {
                state = .paste(endBytes: 0)
            } else if let key = Key(final: byte, parameters: numbers) {
                keys.append(key)
            }
        default:
            // No byte of a sequence: it was none, or was cut off.
            state = .ground
            decode(byte, &keys)
        }
    }

    private static func numbers(_ parameters: ArraySlice<UInt8>) -> [Int] {
        parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            Int(String(decoding: $0, as: UTF8.self)) ?? 1
        }
    }

    private mutating func decodePasted(_ byte: UInt8, _ endBytes: Int, _ keys: inout [Key]) {
        if byte == KeyDecoder.pasteEnd[endBytes] {
            state = .paste(endBytes: endBytes + 1)
            guard endBytes + 1 == KeyDecoder.pasteEnd.count else { return }
            keys.append(.paste(String(decoding: pasted, as: UTF8.self)))
            pasted = []
            state = .ground
        } else {
            // What looked like the end belongs to the text. Only its first byte is ESC, so that none can begin within.
            pasted += KeyDecoder.pasteEnd.prefix(endBytes)
            let mayBegin = byte == KeyDecoder.pasteEnd[0]
            if !mayBegin { pasted.append(byte) }
            if pasted.count > KeyDecoder.longestPaste { pasted.removeLast(pasted.count - KeyDecoder.longestPaste) }
            state = .paste(endBytes: mayBegin ? 1 : 0)
        }
    }

    /// Emits the typed text, but for an unfinished character at its end.
    private mutating func flushText(to keys: inout [Key], isWhole: Bool) {
        let count = isWhole ? text.count : text.count - text.bytesOfUnfinishedCharacter
        guard count > 0 else { return }
        keys.append(.text(String(decoding: text.prefix(count), as: UTF8.self)))
        text.removeFirst(count)
    }
}

extension [UInt8] {
    /// How many bytes at the end begin a UTF-8 sequence that is not whole (RFC 3629 §3).
    fileprivate var bytesOfUnfinishedCharacter: Int {
        for length in 1...3 where length <= count {
            let byte = self[count - length]
            let needed =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 0
                }
            if needed > 0 { return length < needed ? length : 0 }
            // Neither the first byte nor one that continues.
            guard byte & 0xC0 == 0x80 else { return 0 }
        }
        return 0
    }
}
