/// A value that has one form in JSON.
public protocol JSONWritable {
    /// Writes the value as an element of an array or behind a key.
    func write(to writer: inout JSONWriter)
}

/// A value whose form, or the packet around it, bounds it when it is read.
public protocol JSONReadable: JSONWritable {
    /// Reads a member.
    ///
    /// - Returns: `nil` for a member that is missing or `null`.
    /// - Throws: a `bad_request` that names the member.
    static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Self?

    /// The values that are read.
    static var schema: FieldSchema { get }
}

/// An id: its text needs no escapes in JSON, so that it may be the key of a table.
public protocol JSONKeyable: JSONReadable {}

extension UUIDIdentifier {
    public func write(to writer: inout JSONWriter) {
        writer.quoted(count: UUIDValue.textLength) { value.append(to: &$0) }
    }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Self? {
        try object.uuid(name)
    }

    public static var schema: FieldSchema {
        let pattern = FieldSchema.Pattern(
            "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", format: "uuid",
            example: "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d")
        return .text(UUIDValue.textLength...UUIDValue.textLength, pattern)
    }
}

extension LevelIdentifier {
    public func write(to writer: inout JSONWriter) {
        let characters = text.utf8Span.span
        writer.quoted(count: characters.count) { output in
            for index in 0..<characters.count { output.append(characters[index]) }
        }
    }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Self? {
        try object.level(name)
    }

    public static var schema: FieldSchema {
        .text(1...maximumLength, FieldSchema.Pattern("^[A-Za-z0-9_-]+$", example: "alice"))
    }
}

extension Bool: JSONReadable {
    public func write(to writer: inout JSONWriter) { writer.token(self ? "true" : "false") }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Bool? {
        try object.bool(name)
    }

    public static var schema: FieldSchema { .boolean }
}

/// Read as a count: a whole number that is not negative.
extension Int: JSONReadable {
    public func write(to writer: inout JSONWriter) { writer.raw(String(self).utf8) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Int? {
        try object.count(name)
    }

    public static var schema: FieldSchema { .integer(0...Int.max) }
}

extension Timestamp: JSONReadable {
    public func write(to writer: inout JSONWriter) { writer.quoted { append(to: &$0) } }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Timestamp? {
        try object.timestamp(name)
    }

    public static var schema: FieldSchema {
        let pattern = FieldSchema.Pattern(
            #"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}\.[0-9]{3}Z$"#,
            format: "date-time", example: "2026-01-15T09:30:00.000Z")
        return .text(24...24, pattern)
    }
}

extension Named: JSONReadable {
    public func write(to writer: inout JSONWriter) { name.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Named? {
        try object.named(name)
    }

    public static var schema: FieldSchema { FieldSchema(.name(Value.allCases.map(\.rawValue))) }
}

extension String: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        let characters = utf8Span.span
        if characters.needsEscapes {
            writer.quoted { output in
                for index in 0..<characters.count { output.appendEscaped(characters[index]) }
            }
        } else {
            writer.quoted(count: characters.count) { output in
                for index in 0..<characters.count { output.append(characters[index]) }
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            append(UInt8(ascii: "\\"))
            append(byte)
        case 0x0A: append(contentsOf: "\\n".utf8)
        case 0x0D: append(contentsOf: "\\r".utf8)
        case 0x09: append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            append(contentsOf: "\\u00".utf8)
            append(byte < 0x10 ? 0x30 : 0x31)
            let digit = byte & 0x0F
            append(digit < 10 ? digit + 0x30 : digit + 0x57)
        default: append(byte)
        }
    }
}

extension Span<UInt8> {
    fileprivate var needsEscapes: Bool {
        for index in 0..<count {
            let byte = self[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
        }
        return false
    }
}
