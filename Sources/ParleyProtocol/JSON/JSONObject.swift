/// A JSON object: scanned as a whole before any of it is used; its members are read by type.
///
/// Holds the payload's bytes by reference and the place of each member; reading a member copies only that member. Every
/// reader treats `null` as absent and throws a `bad_request` that names the field.
public struct JSONObject: Sendable {
    var scanned: JSONMembers

    var bytes: [UInt8] { scanned.bytes }

    /// Scans `range` of `bytes`, white space around the object allowed.
    public init(
        parsing range: Range<Int>, of bytes: [UInt8], _ bound: MemberBound = .any
    ) throws(JSONError) {
        scanned = try JSONMembers(parsing: range, of: bytes, bound)
    }

    public init(parsing bytes: [UInt8], _ bound: MemberBound = .any) throws(JSONError) {
        try self.init(parsing: 0..<bytes.count, of: bytes, bound)
    }

    /// The members of an object nested in one that was scanned.
    init(nested range: Range<Int>, of bytes: [UInt8]) { scanned = JSONMembers(nested: range, of: bytes) }

    /// The member of this name; `nil` if it is missing or `null`.
    @inline(__always)
    func value(_ name: String) -> JSONValue? {
        guard let member = scanned.find(name), member.kind != .null else { return nil }
        return JSONValue(kind: member.kind, place: member.value)
    }

    /// In their order in the text.
    public var names: [String] { scanned.list.map { scanned.withKey(of: $0) { String(copying: $0) } } }

    public func has(_ name: String) -> Bool { value(name) != nil }

    /// Whether the field is there and `null`: a change that clears it.
    public func isNull(_ name: String) -> Bool { scanned.find(name)?.kind == .null }

    public func isNumber(_ name: String) -> Bool { value(name)?.kind == .number }

    package func isText(_ name: String) -> Bool {
        let kind = value(name)?.kind
        return kind == .string || kind == .escapedString
    }

    // MARK: The text

    /// The scanned text, with what is around the object.
    package var source: [UInt8] { bytes }

    /// The place of the object in the text, with its brackets.
    package var place: Range<Int> { scanned.place }

    package var isEmpty: Bool { scanned.list.isEmpty }

    /// The place of a member's value in the text; `nil` if the member is missing.
    package func place(of name: String) -> Range<Int>? { scanned.find(name)?.value }

    // MARK: Strings

    /// A text for people: at most `maximum` Unicode scalars, none of them U+0000.
    public func text(_ name: String, maximum: Int) throws(Rejection) -> String? {
        try value(name)?.withString(name, in: scanned.bytes) { (bytes) throws(Rejection) in
            var scalars = 0
            for index in 0..<bytes.count {
                if bytes[index] == 0 { throw .badRequest(name, "holds U+0000") }
                if bytes[index] & 0xC0 != 0x80 { scalars += 1 }
            }
            guard scalars <= maximum else { throw .badRequest(name, "longer than \(maximum) characters") }
            return String(copying: bytes)
        }
    }

    public func level<ID: LevelIdentifier>(_ name: String, as _: ID.Type = ID.self) throws(Rejection) -> ID? {
        try value(name)?.withString(name, in: scanned.bytes) { (bytes) throws(Rejection) in
            guard let id = ID(parsing: bytes) else {
                throw .badRequest(name, "not 1 to 64 letters, digits, _ or -")
            }
            return id
        }
    }

    public func uuid<ID: UUIDIdentifier>(_ name: String, as _: ID.Type = ID.self) throws(Rejection) -> ID? {
        try value(name)?.withString(name, in: scanned.bytes) { (bytes) throws(Rejection) in
            guard let id = ID(parsing: bytes) else { throw .badRequest(name, "not a lower-case UUID") }
            return id
        }
    }

    public func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, as _: Choice.Type = Choice.self
    ) throws(Rejection) -> Choice? {
        try value(name)?.withString(name, in: scanned.bytes) { (bytes) throws(Rejection) in
            for choice in Choice.allCases where bytes.equals(choice.rawValue) { return choice }
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest(name, "not one of \(known)")
        }
    }

    /// Bytes in base64 whose decoded length is in `lengths`; more than that is `too_large`, less is `bad_request`.
    public func base64(_ name: String, lengths: ClosedRange<Int>) throws(Rejection) -> [UInt8]? {
        try value(name)?.withString(name, in: scanned.bytes) { (bytes) throws(Rejection) in
            guard let decoded = Base64.decode(bytes) else {
                throw .badRequest(name, "not standard base64 with padding")
            }
            guard decoded.count >= lengths.lowerBound else {
                throw .badRequest(name, "shorter than \(lengths.lowerBound) bytes")
            }
            guard decoded.count <= lengths.upperBound else {
                if lengths.lowerBound == lengths.upperBound {
                    throw .badRequest(name, "longer than \(lengths.upperBound) bytes")
                }
                throw Rejection(.tooLarge, "\(name): longer than \(lengths.upperBound) bytes")
            }
            return decoded
        }
    }
}

extension Optional {
    /// The value of a required field, or a `bad_request` that names it.
    package func required(_ name: String) throws(Rejection) -> Wrapped {
        guard let self else { throw .badRequest(name, "missing") }
        return self
    }
}
