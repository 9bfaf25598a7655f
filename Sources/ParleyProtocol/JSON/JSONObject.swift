/// A JSON object of a request: scanned whole before anything of it is believed, its members read by their types.
///
/// Holds the payload's bytes by reference and the place of each member; reading a member copies only that member.
/// Every reader treats `null` as absent and throws a `bad_request` that names the field.
public struct JSONObject: Sendable {
    let bytes: [UInt8]
    /// Where it lies in them, with its brackets.
    private(set) var place: Range<Int>
    private(set) var members: [JSONMember]
    /// What the keys with escapes mean, one behind the other.
    private var escapedKeys: [UInt8]
    /// The entries of the member that is a table, noted on the way.
    private var table: JSONTable

    /// Scans `range` of `bytes`, white space around the object allowed.
    public init(
        parsing range: Range<Int>, of bytes: [UInt8], _ bound: MemberBound = .any
    ) throws(JSONFault) {
        let span = bytes.span
        guard range.upperBound <= SeenKeys.longestText else { throw .tooLong }
        var lexer = JSONLexer(range)
        lexer.skipWhitespace(span)
        guard !lexer.isAtEnd else { throw .empty }
        guard isUTF8(span.extracting(range)) else { throw .notUTF8 }
        guard lexer.isAt(UInt8(ascii: "{"), span) else { throw .notAnObject }
        let start = lexer.position
        var members: [JSONMember]
        (members, table) = try JSONScanner(bound).object(&lexer, span)
        place = start..<lexer.position
        lexer.skipWhitespace(span)
        guard lexer.isAtEnd else { throw .trailing }
        escapedKeys = members.unescapeKeys(of: bytes)
        self.bytes = bytes
        self.members = members
    }

    public init(parsing bytes: [UInt8], _ bound: MemberBound = .any) throws(JSONFault) {
        try self.init(parsing: 0..<bytes.count, of: bytes, bound)
    }

    /// The members of an object nested in one that was scanned.
    init(nested range: Range<Int>, of bytes: [UInt8]) {
        self.bytes = bytes
        place = range
        members = []
        escapedKeys = []
        table = JSONTable(nil)
        readMembers()
    }

    /// Becomes the object that an entry of a table is, with the room that it has.
    mutating func become(_ entry: JSONTable.Entry, of table: JSONTable) {
        place = entry.value
        members.removeAll(keepingCapacity: true)
        members += table.members(of: entry)
        escapedKeys = members.unescapeKeys(of: bytes)
    }

    /// The entries of a member that is a table: noted when the whole was scanned with that in mind, else now.
    func entries(of shape: TableShape) -> JSONTable {
        if table.shape == shape { return table }
        var lexer = JSONLexer(place)
        return (try? JSONScanner(most: .max, table: shape).object(&lexer, bytes.span).table) ?? table
    }

    private mutating func readMembers() {
        members.reserveCapacity(8)
        var walker = JSONWalker(place)
        while let member = walker.nextMember(bytes.span) { members.append(member) }
        escapedKeys = members.unescapeKeys(of: bytes)
    }

    private func anyMember(_ name: String) -> JSONMember? {
        let wanted = name.utf8Span.span
        for member in members where member.key.range.count == wanted.count {
            if withKey(of: member, { $0.holdsSame(wanted) }) { return member }
        }
        return nil
    }

    /// Gives `body` what the member's key means.
    func withKey<Result>(of member: JSONMember, _ body: (Span<UInt8>) -> Result) -> Result {
        body((member.key.isEscaped ? escapedKeys : bytes).span.extracting(member.key.range))
    }

    func member(_ name: String) -> JSONMember? {
        guard let member = anyMember(name), member.kind != .null else { return nil }
        return member
    }

    /// The names of all members, in the order in which they stand.
    public var names: [String] {
        members.map { withKey(of: $0) { String(copying: $0) } }
    }

    public func has(_ name: String) -> Bool { member(name) != nil }

    /// Whether the field is there and `null`: in a change that clears it.
    public func isNull(_ name: String) -> Bool { anyMember(name)?.kind == .null }

    /// Gives `body` the bytes that a string means, without a copy where nothing is escaped.
    func withString<Result>(
        _ name: String, _ body: (Span<UInt8>) throws(Rejection) -> Result
    ) throws(Rejection) -> Result? {
        guard let member = member(name) else { return nil }
        return try withString(member.kind, member.value, name, body)
    }

    func withString<Result>(
        _ kind: JSONKind, _ value: Range<Int>, _ name: String, _ body: (Span<UInt8>) throws(Rejection) -> Result
    ) throws(Rejection) -> Result {
        let inside = (value.lowerBound + 1)..<max(value.lowerBound + 1, value.upperBound - 1)
        switch kind {
        case .string:
            return try body(bytes.span.extracting(inside))
        case .escapedString:
            let unescaped = bytes.span.unescaped(inside)
            return try body(unescaped.span)
        case .object, .array, .number, .true, .false, .null:
            throw .badRequest(name, "not a string")
        }
    }

    // MARK: Strings

    /// A text for people: at most `maximum` Unicode scalars, none of them U+0000.
    public func text(_ name: String, maximum: Int) throws(Rejection) -> String? {
        try withString(name) { (bytes) throws(Rejection) in
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
        try withString(name) { (bytes) throws(Rejection) in
            guard let id = ID(parsing: bytes) else {
                throw .badRequest(name, "not 1 to 64 letters, digits, _ or -")
            }
            return id
        }
    }

    public func uuid<ID: UUIDIdentifier>(_ name: String, as _: ID.Type = ID.self) throws(Rejection) -> ID? {
        try withString(name) { (bytes) throws(Rejection) in
            guard let id = ID(parsing: bytes) else { throw .badRequest(name, "not a lower-case UUID") }
            return id
        }
    }

    public func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, as _: Choice.Type = Choice.self
    ) throws(Rejection) -> Choice? {
        try withString(name) { (bytes) throws(Rejection) in
            for choice in Choice.allCases where bytes.equals(choice.rawValue) { return choice }
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest(name, "not one of \(known)")
        }
    }

    /// Bytes in base64 whose decoded length is in `lengths`; more than that is `too_large`, less is `bad_request`.
    public func base64(_ name: String, lengths: ClosedRange<Int>) throws(Rejection) -> [UInt8]? {
        try withString(name) { (bytes) throws(Rejection) in
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

    /// The text of a string as it stands in the payload, quotes and escapes included: valid JSON to repeat.
    func rawString(_ name: String, maximum: Int) throws(Rejection) -> [UInt8]? {
        guard let member = member(name) else { return nil }
        _ = try text(name, maximum: maximum)
        return Array(bytes[member.value])
    }
}

extension [JSONMember] {
    /// Undoes the escapes of keys once, so that looking for a name costs the same however they are spelled.
    fileprivate mutating func unescapeKeys(of bytes: [UInt8]) -> [UInt8] {
        var unescaped: [UInt8] = []
        for index in indices where self[index].key.isEscaped {
            let start = unescaped.count
            bytes.span.appendUnescaped(self[index].key.range, to: &unescaped)
            self[index].key.range = start..<unescaped.count
        }
        return unescaped
    }
}

extension Span<UInt8> {
    /// Whether the bytes are those of another, which is as long.
    fileprivate func holdsSame(_ other: Span<UInt8>) -> Bool {
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }
}

extension Optional {
    /// What a required field holds, or a `bad_request` that names it.
    package func required(_ name: String) throws(Rejection) -> Wrapped {
        guard let self else { throw .badRequest(name, "missing") }
        return self
    }
}

/// Whether the bytes are UTF-8; eight at a time while they are ASCII.
private func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    var seen: UInt8 = 0
    for index in 0..<bytes.count { seen |= bytes[index] }
    if seen < 0x80 { return true }
    return (try? UTF8Span(validating: bytes)) != nil
}
