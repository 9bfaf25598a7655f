import ParleyProtocol

// `#expect` cannot hold a `Span`: the same initializers over arrays.

extension UUIDIdentifier {
    static func parse(_ bytes: [UInt8]) -> Self? { Self(parsing: bytes.span) }
}

extension LevelIdentifier {
    static func parse(_ bytes: [UInt8]) -> Self? { Self(parsing: bytes.span) }
}

extension ClientID {
    static func parse(_ bytes: [UInt8]) -> ClientID? { ClientID(parsing: bytes.span) }
    static func parse(_ text: String) -> ClientID? { parse(Array(text.utf8)) }
}

extension Topic {
    static func parse(_ bytes: [UInt8]) -> Topic? { Topic(parsing: bytes.span) }
}

extension Base64 {
    static func decode(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        return decode(bytes.span)
    }
}

extension JSONObject {
    init(_ text: String) throws(JSONError) { try self.init(parsing: Array(text.utf8)) }
}

extension JSONWriter {
    /// What `body` writes.
    static func bytes(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        body(&writer)
        return writer.finish()
    }
}
