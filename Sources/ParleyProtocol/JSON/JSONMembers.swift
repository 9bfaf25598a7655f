/// The places of an object's members in a scanned text.
struct JSONMembers: Sendable {
    let bytes: [UInt8]
    /// Of the object, with its brackets.
    private(set) var place: Range<Int>
    private(set) var list: [JSONMember]
    /// The keys that have escapes, without them, one after the other.
    private var escapedKeys: [UInt8]
    /// The entries of the table among the members, collected during the scan.
    private var table: JSONTable

    /// Scans `range` of `bytes`, white space around the object allowed.
    init(parsing range: Range<Int>, of bytes: [UInt8], _ bound: MemberBound) throws(JSONError) {
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
        list = members
    }

    /// The members of an object nested in one that was scanned.
    init(nested range: Range<Int>, of bytes: [UInt8]) {
        self.bytes = bytes
        place = range
        list = []
        table = JSONTable(nil)
        list.reserveCapacity(8)
        var walker = JSONWalker(place)
        while let member = walker.nextMember(bytes.span) { list.append(member) }
        escapedKeys = list.unescapeKeys(of: bytes)
    }

    /// Becomes the object of a table's entry, and keeps its capacity.
    mutating func become(_ entry: JSONTable.Entry, of table: JSONTable) {
        place = entry.value
        list.removeAll(keepingCapacity: true)
        list += table.members(of: entry)
        escapedKeys = list.unescapeKeys(of: bytes)
    }

    /// Forgets all members but one.
    mutating func keep(only member: JSONMember) { list = [member] }

    /// The entries of a table among the members: collected in the scan if that was for this table, and otherwise now.
    func entries(of shape: TableShape) -> JSONTable {
        if table.shape == shape { return table }
        var lexer = JSONLexer(place)
        return (try? JSONScanner(most: .max, table: shape).object(&lexer, bytes.span).table) ?? table
    }

    /// The member of this name, `null` or not.
    func find(_ name: String) -> JSONMember? {
        let wanted = name.utf8Span.span
        for member in list where member.key.range.count == wanted.count {
            if withKey(of: member, { $0.holdsSame(wanted) }) { return member }
        }
        return nil
    }

    /// Gives `body` the member's key without escapes.
    func withKey<Result>(of member: JSONMember, _ body: (Span<UInt8>) -> Result) -> Result {
        body((member.key.isEscaped ? escapedKeys : bytes).span.extracting(member.key.range))
    }
}

extension [JSONMember] {
    /// Removes the escapes of keys once, so that a search costs the same for every spelling.
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
    /// Compares with as many bytes of another.
    fileprivate func holdsSame(_ other: Span<UInt8>) -> Bool {
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }
}

/// Eight bytes at a time while they are ASCII.
private func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    var seen: UInt8 = 0
    for index in 0..<bytes.count { seen |= bytes[index] }
    if seen < 0x80 { return true }
    return (try? UTF8Span(validating: bytes)) != nil
}
