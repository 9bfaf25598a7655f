/// Standard base64 with padding (RFC 4648 §4). Decoding accepts only the canonical text of any bytes, so that equal
/// bytes have equal texts.
public enum Base64 {
    private static let alphabet: [UInt8] = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The two digits of each 12 bits, the first in the lower byte.
    private static let pairs: [UInt16] = (0..<4096).map { UInt16(alphabet[$0 >> 6]) | UInt16(alphabet[$0 & 63]) << 8 }

    /// The value of each digit; 0xFF for any other byte.
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in alphabet.enumerated() { table[Int(digit)] = UInt8(value) }
        return table
    }()

    /// `nil` for a text that is not canonical: a wrong length, foreign characters, missing padding, bits set under it.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        guard text.count > 0 else { return [] }
        let equals = UInt8(ascii: "=")
        let padding = text[text.count - 1] != equals ? 0 : text[text.count - 2] != equals ? 1 : 2
        let digits = text.count - padding
        let table = values.span
        let count = text.count / 4 * 3 - padding
        var failed: UInt8 = 0
        let decoded = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var written = 0
            var index = 0
            while index + 4 <= digits {
                let a = table[Int(text[index])], b = table[Int(text[index + 1])]
                let c = table[Int(text[index + 2])], d = table[Int(text[index + 3])]
                failed |= (a | b | c | d) & 0xC0
                unsafe buffer[written] = a << 2 | b >> 4
                unsafe buffer[written + 1] = b << 4 | c >> 2
                unsafe buffer[written + 2] = c << 6 | d
                written += 3
                index += 4
            }
            if padding > 0 {
                let a = table[Int(text[index])], b = table[Int(text[index + 1])]
                let c: UInt8 = padding == 1 ? table[Int(text[index + 2])] : 0
                failed |= (a | b | c) & 0xC0
                unsafe buffer[written] = a << 2 | b >> 4
                if padding == 1 {
                    unsafe buffer[written + 1] = b << 4 | c >> 2
                    failed |= c & 0x03
                } else {
                    failed |= b & 0x0F
                }
            }
            initialized = count
        }
        return failed == 0 ? decoded : nil
    }

    public static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
        let source = bytes.span
        let (digits, pairs) = (alphabet.span, pairs.span)
        output.append(addingCapacity: (source.count + 2) / 3 * 4) { text in
            let start = text.count
            let groups = source.count / 3
            text.append(repeating: UInt8(ascii: "A"), count: groups * 4)
            var characters = text.mutableSpan
            var written = unsafe characters.mutableBytes
            for group in 0..<groups {
                let index = group * 3
                let word = Int(source[index]) << 16 | Int(source[index + 1]) << 8 | Int(source[index + 2])
                let four = UInt32(pairs[word >> 12]) | UInt32(pairs[word & 0xFFF]) << 16
                written.storeBytes(of: four.littleEndian, toByteOffset: start + group * 4, as: UInt32.self)
            }
            let index = groups * 3
            switch source.count - index {
            case 1:
                text.append(digits[Int(source[index] >> 2)])
                text.append(digits[Int(source[index] << 4 & 63)])
                text.append(UInt8(ascii: "="))
                text.append(UInt8(ascii: "="))
            case 2:
                text.append(digits[Int(source[index] >> 2)])
                text.append(digits[Int((source[index] << 4 | source[index + 1] >> 4) & 63)])
                text.append(digits[Int(source[index + 1] << 2 & 63)])
                text.append(UInt8(ascii: "="))
            default: break
            }
        }
    }

    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
