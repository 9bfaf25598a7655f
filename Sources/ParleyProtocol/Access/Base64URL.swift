/// base64url without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    /// `nil` for padding, a byte outside the alphabet, an impossible length, and leftover bits that are not zero.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let leftover = text.count % 4
        guard leftover != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for index in 0..<text.count {
            guard let value = value(of: text[index]) else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        guard bits & ((1 << bitCount) - 1) == 0 else { return nil }
        return output
    }

    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for index in 0..<bytes.count {
            bits = (bits << 8 | UInt32(bytes[index])) & 0xFFFF
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                output.append(digit(UInt8(truncatingIfNeeded: bits >> bitCount) & 0x3F))
            }
        }
        if bitCount > 0 { output.append(digit(UInt8(truncatingIfNeeded: bits << (6 - bitCount)) & 0x3F)) }
    }

    package static func text(of bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit &- UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit &- UInt8(ascii: "a") &+ 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0") &+ 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: value &+ UInt8(ascii: "A")
        case 26..<52: value &- 26 &+ UInt8(ascii: "a")
        case 52..<62: value &- 52 &+ UInt8(ascii: "0")
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }
}
