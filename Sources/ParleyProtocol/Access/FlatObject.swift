/// The small JSON of a token: one object whose values are strings without escapes, or plain whole numbers.
///
/// Far stricter than JSON (RFC 8259), because only the gateway writes tokens: there is less to get wrong in the broker.
enum FlatObject {
    enum Value {
        /// Where the text lies, between its quotes.
        case text(Range<Int>)
        /// A whole number of at most 15 digits, without sign, leading zero, fraction or exponent.
        case number(Int64)
    }

    static let maximumFields = 16

    /// Hands each field to `field` in order; `false` as soon as the form is wrong or `field` returns `false`.
    static func read(_ json: Span<UInt8>, field: (_ key: Span<UInt8>, _ value: Value) -> Bool) -> Bool {
        var reader = Reader(position: 0)
        reader.skipSpace(in: json)
        guard reader.skip(UInt8(ascii: "{"), in: json) else { return false }
        for index in 0..<maximumFields {
            reader.skipSpace(in: json)
            if index == 0, reader.skip(UInt8(ascii: "}"), in: json) { return reader.isAtEnd(of: json) }
            guard let key = reader.text(in: json) else { return false }
            reader.skipSpace(in: json)
            guard reader.skip(UInt8(ascii: ":"), in: json) else { return false }
            reader.skipSpace(in: json)
            let value: Value
            if let range = reader.text(in: json) {
                value = .text(range)
            } else if let number = reader.number(in: json) {
                value = .number(number)
            } else {
                return false
            }
            guard field(json.extracting(key), value) else { return false }
            reader.skipSpace(in: json)
            if reader.skip(UInt8(ascii: "}"), in: json) { return reader.isAtEnd(of: json) }
            guard reader.skip(UInt8(ascii: ","), in: json) else { return false }
        }
        return false
    }

    private struct Reader {
        var position: Int

        mutating func skipSpace(in json: Span<UInt8>) {
            while position < json.count {
                switch json[position] {
                case 0x20, 0x09, 0x0A, 0x0D: position += 1
                default: return
                }
            }
        }

        mutating func isAtEnd(of json: Span<UInt8>) -> Bool {
            skipSpace(in: json)
            return position == json.count
        }

        mutating func skip(_ byte: UInt8, in json: Span<UInt8>) -> Bool {
            guard position < json.count, json[position] == byte else { return false }
            position += 1
            return true
        }

        /// Printable ASCII between quotes; a backslash ends the reading.
        mutating func text(in json: Span<UInt8>) -> Range<Int>? {
            guard skip(UInt8(ascii: "\""), in: json) else { return nil }
            let start = position
            while position < json.count {
                switch json[position] {
                case UInt8(ascii: "\""):
                    position += 1
                    return start..<(position - 1)
                case UInt8(ascii: "\\"): return nil
                case 0x20...0x7E: position += 1
                default: return nil
                }
            }
            return nil
        }

        mutating func number(in json: Span<UInt8>) -> Int64? {
            let start = position
            var value: Int64 = 0
            while position < json.count, position - start < 16 {
                let byte = json[position]
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
                value = value &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
                position += 1
            }
            let digits = position - start
            guard digits >= 1, digits <= 15, digits == 1 || json[start] != UInt8(ascii: "0") else { return nil }
            return value
        }
    }
}
