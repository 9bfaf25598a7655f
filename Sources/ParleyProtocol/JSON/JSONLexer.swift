/// The tokens of JSON text: white space, strings, numbers and literals, skipped one after another.
struct JSONLexer {
    private(set) var position: Int
    let end: Int

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position >= end }

    /// The error for a missing token.
    var missing: JSONError { position < end ? .syntax : .truncated }

    @inline(__always)
    mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while position < end, bytes[position] <= 0x20 {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    @inline(__always)
    mutating func skip(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    func isAt(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool { position < end && bytes[position] == byte }

    /// Skips the bracket that opens a container, if there is one; `true` for an object's.
    @inline(__always)
    mutating func skipOpening(_ bytes: Span<UInt8>) -> Bool? {
        if skip(UInt8(ascii: "{"), bytes) { return true }
        if skip(UInt8(ascii: "["), bytes) { return false }
        return nil
    }

    /// Skips a value that is no container, and returns its kind.
    @inline(__always)
    mutating func scalar(_ bytes: Span<UInt8>) throws(JSONError) -> JSONKind {
        guard position < end else { throw .truncated }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            return try string(bytes) ? .escapedString : .string
        case UInt8(ascii: "-"), 0x30...0x39:
            try number(bytes)
            return .number
        case UInt8(ascii: "t"):
            try literal("true", bytes)
            return .true
        case UInt8(ascii: "f"):
            try literal("false", bytes)
            return .false
        case UInt8(ascii: "n"):
            try literal("null", bytes)
            return .null
        default:
            throw .syntax
        }
    }

    /// Skips a string with its quotes; `true` if it has escapes.
    @inline(__always)
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        guard skip(UInt8(ascii: "\""), bytes) else { throw missing }
        var isEscaped = false
        while true {
            position = bytes.endOfPlainCharacters(from: position, until: end)
            guard position < end else { throw .truncated }
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return isEscaped }
            guard byte == UInt8(ascii: "\\") else { throw .controlCharacter }
            isEscaped = true
            try escapes(bytes)
        }
    }

    /// Skips a string without escapes, and returns what is between its quotes; `nil` for anything else.
    mutating func plainString(_ bytes: Span<UInt8>) -> Range<Int>? {
        let start = position
        guard let isEscaped = try? string(bytes), !isEscaped else { return nil }
        return (start + 1)..<(position - 1)
    }

    /// Skips an escape whose backslash was skipped, and the escapes that follow directly.
    private mutating func escapes(_ bytes: Span<UInt8>) throws(JSONError) {
        repeat { try escape(bytes) } while skip(UInt8(ascii: "\\"), bytes)
    }

    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONError) {
        guard position < end else { throw .truncated }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            let unit = try hexadecimal(bytes)
            switch unit {
            case 0xD800...0xDBFF:
                guard skip(UInt8(ascii: "\\"), bytes), skip(UInt8(ascii: "u"), bytes) else { throw .loneSurrogate }
                guard (0xDC00...0xDFFF).contains(try hexadecimal(bytes)) else { throw .loneSurrogate }
            case 0xDC00...0xDFFF:
                throw .loneSurrogate
            default:
                return
            }
        default:
            throw .syntax
        }
    }

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        guard position + 4 <= end, let unit = bytes.hexadecimal(position..<(position + 4)) else { throw .syntax }
        position += 4
        return unit
    }

    private mutating func literal(_ text: StaticString, _ bytes: Span<UInt8>) throws(JSONError) {
        let length = text.utf8CodeUnitCount
        guard position + length <= end,
            text.withUTF8Buffer({ expected in
                for index in 0..<length where unsafe bytes[position + index] != expected[index] { return false }
                return true
            })
        else { throw .syntax }
        position += length
    }

    @inline(__always)
    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) {
        _ = skip(UInt8(ascii: "-"), bytes)
        if !skip(UInt8(ascii: "0"), bytes) {
            guard skipDigits(bytes) > 0 else { throw .syntax }
        }
        if skip(UInt8(ascii: "."), bytes) {
            guard skipDigits(bytes) > 0 else { throw .syntax }
        }
        if skip(UInt8(ascii: "e"), bytes) || skip(UInt8(ascii: "E"), bytes) {
            if !skip(UInt8(ascii: "+"), bytes) { _ = skip(UInt8(ascii: "-"), bytes) }
            guard skipDigits(bytes) > 0 else { throw .syntax }
        }
    }

    @inline(__always)
    private mutating func skipDigits(_ bytes: Span<UInt8>) -> Int {
        let start = position
        while position < end, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
        return position - start
    }

    // MARK: Over text that was scanned

    /// Skips a value of scanned text without looking into a container, and returns its kind.
    mutating func skipValue(_ bytes: Span<UInt8>) -> JSONKind {
        guard position < end else { return .null }
        switch bytes[position] {
        case UInt8(ascii: "{"):
            skipContainer(bytes)
            return .object
        case UInt8(ascii: "["):
            skipContainer(bytes)
            return .array
        default:
            return (try? scalar(bytes)) ?? .null
        }
    }

    private mutating func skipContainer(_ bytes: Span<UInt8>) {
        var depth = 0
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
                if depth == 0 { return }
            case UInt8(ascii: "\""):
                guard (try? string(bytes)) != nil else { return }
            default:
                position += 1
            }
        }
    }
}

extension Span<UInt8> {
    /// The first position from `start` on that is not a plain character of a string: its closing quote, an escape or a
    /// control character; `end` if there is none. Looks at eight bytes at a time.
    @inline(__always)
    fileprivate func endOfPlainCharacters(from start: Int, until end: Int) -> Int {
        let raw = unsafe bytes
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones << 7
        var position = start
        while position + 8 <= end {
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let escapes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            // The high bit of a byte is set where the byte is zero (below 0x20 for the last) and was below 0x80.
            let found = (quotes &- ones) & ~quotes | (escapes &- ones) & ~escapes | (word &- ones &* 0x20) & ~word
            let marks = found & highs
            if marks != 0 { return position + marks.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < end {
            let byte = self[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return position }
            position += 1
        }
        return end
    }
}
