/// Walks JSON text once and believes nothing: RFC 8259 and the stricter rules of protocol §1.
///
/// Refused beside bad syntax: invalid UTF-8, a byte order mark, lone surrogates, duplicate keys (compared after
/// unescaping, at every level), and more nesting than `Limits.jsonDepth`.
struct JSONScanner {
    private(set) var position: Int
    private let end: Int

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    var isAtEnd: Bool { position >= end }

    mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard position < end, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Walks over one value and says what it was; `depth` is the number of containers around it.
    mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONFault) -> JSONKind {
        guard position < end else { throw .truncated }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            return try string(bytes) ? .escapedString : .string
        case UInt8(ascii: "{"):
            try object(bytes, depth: depth + 1) { _ in }
            return .object
        case UInt8(ascii: "["):
            try array(bytes, depth: depth + 1) { _, _ in }
            return .array
        case UInt8(ascii: "t"):
            try literal("true", bytes)
            return .true
        case UInt8(ascii: "f"):
            try literal("false", bytes)
            return .false
        case UInt8(ascii: "n"):
            try literal("null", bytes)
            return .null
        case UInt8(ascii: "-"), 0x30...0x39:
            try number(bytes)
            return .number
        default:
            throw .syntax
        }
    }

    /// Walks over an object and gives each of its members.
    mutating func object(
        _ bytes: Span<UInt8>, depth: Int, _ body: (JSONMember) -> Void
    ) throws(JSONFault) {
        guard depth <= Limits.jsonDepth else { throw .depth }
        guard take(UInt8(ascii: "{"), bytes) else { throw .syntax }
        var keys = SeenKeys()
        skipWhitespace(bytes)
        if take(UInt8(ascii: "}"), bytes) { return }
        while true {
            skipWhitespace(bytes)
            let keyStart = position
            let isEscaped = try string(bytes)
            let key = (keyStart + 1)..<(position - 1)
            guard keys.insert(key, isEscaped: isEscaped, bytes) else { throw .duplicateKey }
            skipWhitespace(bytes)
            guard take(UInt8(ascii: ":"), bytes) else { throw .syntax }
            skipWhitespace(bytes)
            let start = position
            let kind = try value(bytes, depth: depth)
            body(JSONMember(key: key, isKeyEscaped: isEscaped, kind: kind, value: start..<position))
            skipWhitespace(bytes)
            if take(UInt8(ascii: ","), bytes) { continue }
            guard take(UInt8(ascii: "}"), bytes) else { throw position < end ? .syntax : .truncated }
            return
        }
    }

    /// Walks over an array and gives each of its elements.
    mutating func array(
        _ bytes: Span<UInt8>, depth: Int, _ body: (JSONKind, Range<Int>) -> Void
    ) throws(JSONFault) {
        guard depth <= Limits.jsonDepth else { throw .depth }
        guard take(UInt8(ascii: "["), bytes) else { throw .syntax }
        skipWhitespace(bytes)
        if take(UInt8(ascii: "]"), bytes) { return }
        while true {
            skipWhitespace(bytes)
            let start = position
            let kind = try value(bytes, depth: depth)
            body(kind, start..<position)
            skipWhitespace(bytes)
            if take(UInt8(ascii: ","), bytes) { continue }
            guard take(UInt8(ascii: "]"), bytes) else { throw position < end ? .syntax : .truncated }
            return
        }
    }

    /// Walks over a string with its quotes; `true` if there are escapes in it.
    private mutating func string(_ bytes: Span<UInt8>) throws(JSONFault) -> Bool {
        guard take(UInt8(ascii: "\""), bytes) else { throw position < end ? .syntax : .truncated }
        var isEscaped = false
        while true {
            position = bytes.endOfPlainCharacters(from: position, until: end)
            guard position < end else { throw .truncated }
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return isEscaped }
            guard byte == UInt8(ascii: "\\") else { throw .controlCharacter }
            isEscaped = true
            try escape(bytes)
        }
    }

    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONFault) {
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
                guard take(UInt8(ascii: "\\"), bytes), take(UInt8(ascii: "u"), bytes) else { throw .loneSurrogate }
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

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONFault) -> UInt32 {
        guard position + 4 <= end, let unit = bytes.hexadecimal(position..<(position + 4)) else { throw .syntax }
        position += 4
        return unit
    }

    private mutating func literal(_ text: StaticString, _ bytes: Span<UInt8>) throws(JSONFault) {
        let length = text.utf8CodeUnitCount
        guard position + length <= end, bytes.extracting(position..<(position + length)).equals(text.description) else {
            throw .syntax
        }
        position += length
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONFault) {
        _ = take(UInt8(ascii: "-"), bytes)
        if !take(UInt8(ascii: "0"), bytes) {
            guard skipDigits(bytes) > 0 else { throw .syntax }
        }
        if take(UInt8(ascii: "."), bytes) {
            guard skipDigits(bytes) > 0 else { throw .syntax }
        }
        if take(UInt8(ascii: "e"), bytes) || take(UInt8(ascii: "E"), bytes) {
            if !take(UInt8(ascii: "+"), bytes) { _ = take(UInt8(ascii: "-"), bytes) }
            guard skipDigits(bytes) > 0 else { throw .syntax }
        }
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) -> Int {
        let start = position
        while position < end, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
        return position - start
    }
}

/// What a value is, seen from its first byte.
public enum JSONKind: Sendable {
    case object, array, string, escapedString, number, `true`, `false`, null
}

/// Where a member of an object lies: the key without its quotes, the value with them.
struct JSONMember: Sendable {
    let key: Range<Int>
    let isKeyEscaped: Bool
    let kind: JSONKind
    let value: Range<Int>
}

/// Why a text is not JSON that the gateway takes. The raw value is the predicate of a sentence about the text:
/// "The payload" + " has a duplicate key" + ".".
public enum JSONFault: String, Error, Sendable, CaseIterable {
    case empty = "is empty"
    case notUTF8 = "is not valid UTF-8"
    case syntax = "is not JSON"
    case truncated = "ends before its JSON does"
    case trailing = "has something after the object"
    case notAnObject = "is not an object"
    case depth = "is nested too deeply"
    case duplicateKey = "has a duplicate key"
    case loneSurrogate = "has a lone surrogate"
    case controlCharacter = "has a control character in a string"
}

extension Rejection {
    /// What a device is told whose payload is not JSON as the protocol has it.
    package init(payload fault: JSONFault) { self.init(.badRequest, "The payload \(fault.rawValue).") }
}

extension Span<UInt8> {
    /// Where, from `start` on, something other than a plain character of a string stands: its closing quote, an escape
    /// or a control character; `end` if nowhere. Looks at eight bytes at a time.
    fileprivate func endOfPlainCharacters(from start: Int, until end: Int) -> Int {
        let raw = unsafe bytes
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones << 7
        var position = start
        while position + 8 <= end {
            let word = UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let escapes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            // A byte's high bit is set where the byte is zero (below 0x20 for the last), and was below 0x80.
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

    func hexadecimal(_ range: Range<Int>) -> UInt32? {
        var value: UInt32 = 0
        for index in range {
            switch self[index] {
            case 0x30...0x39: value = value << 4 | UInt32(self[index] - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(self[index] - 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(self[index] - 0x57)
            default: return nil
            }
        }
        return value
    }
}
