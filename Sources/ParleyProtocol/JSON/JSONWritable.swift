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
}

extension Bool: JSONReadable {
    public func write(to writer: inout JSONWriter) { writer.token(self ? "true" : "false") }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Bool? {
        try object.bool(name)
    }
}

/// Read as a count: a whole number that is not negative.
extension Int: JSONReadable {
    public func write(to writer: inout JSONWriter) { writer.raw(String(self).utf8) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Int? {
        try object.count(name)
    }
}

extension Timestamp: JSONReadable {
    public func write(to writer: inout JSONWriter) { writer.quoted { append(to: &$0) } }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Timestamp? {
        try object.timestamp(name)
    }
}

extension Named: JSONReadable {
    public func write(to writer: inout JSONWriter) { name.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> Named? {
        try object.named(name)
    }
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
