/// Walks JSON text once and believes nothing: RFC 8259 and the stricter rules of protocol §1.
///
/// Refused beside bad syntax: invalid UTF-8, a byte order mark, lone surrogates, duplicate keys (compared after
/// unescaping, at every level), more nesting than `Limits.jsonDepth`, and more members than are bound. What it takes is
/// read again by `JSONWalker`, which believes it.
struct JSONScanner {
    /// The containers around the position.
    private struct Nesting {
        var depth = 0
        /// A bit for each depth: whether the container is an object.
        private var objects: UInt32 = 0

        @inline(__always)
        var isInObject: Bool { objects & (1 << UInt32(truncatingIfNeeded: depth)) != 0 }

        @inline(__always)
        mutating func open(isObject: Bool) throws(JSONFault) {
            guard depth < Limits.jsonDepth else { throw .depth }
            depth += 1
            let bit: UInt32 = 1 << UInt32(truncatingIfNeeded: depth)
            objects = isObject ? objects | bit : objects & ~bit
        }
    }

    private let most: Int
    private let table: String?
    private let seed = KeyFingerprint.Seed.shared

    init(_ bound: MemberBound) {
        most = bound.most
        table = bound.table
    }

    /// Walks over the object that begins where the lexer stands, and gives its members.
    ///
    /// All state is local, so that the compiler keeps it in registers: this is what a hostile payload is met by.
    func object(_ lexer: inout JSONLexer, _ bytes: Span<UInt8>) throws(JSONFault) -> [JSONMember] {
        var place = lexer
        defer { lexer = place }
        var nesting = Nesting()
        var keys = SeenKeys()
        var members: [JSONMember] = []
        members.reserveCapacity(12)
        // The member of the outermost object in which the scan is, and whether it is a table.
        var key = JSONKey(range: 0..<0, isEscaped: false)
        var start = 0
        var isTable = false
        guard place.take(UInt8(ascii: "{"), bytes) else { throw place.missing }
        try nesting.open(isObject: true)
        keys.open()
        place.skipWhitespace(bytes)
        var isFresh = true
        while true {
            // What a container holds next; an empty one ends where it began.
            if !isFresh || !place.isAt(UInt8(ascii: nesting.isInObject ? "}" : "]"), bytes) {
                if nesting.isInObject {
                    let next = try self.key(&place, &keys, isInTable: isTable && nesting.depth == 2, bytes)
                    if nesting.depth == 1 { (key, start) = (next, place.position) }
                }
                if let isObject = place.takeOpening(bytes) {
                    if nesting.depth == 1 { isTable = isObject && self.isTable(key, bytes) }
                    try nesting.open(isObject: isObject)
                    if isObject { keys.open() }
                    place.skipWhitespace(bytes)
                    isFresh = true
                    continue
                }
                let kind = try place.scalar(bytes)
                if nesting.depth == 1 {
                    members.append(JSONMember(key: key, kind: kind, value: start..<place.position))
                }
            }
            // A value has ended, and with it as many containers as are closed here.
            isFresh = false
            place.skipWhitespace(bytes)
            while !place.take(UInt8(ascii: ","), bytes) {
                let wasObject = nesting.isInObject
                guard place.take(UInt8(ascii: wasObject ? "}" : "]"), bytes) else { throw place.missing }
                if wasObject { keys.close() }
                nesting.depth -= 1
                if nesting.depth == 0 { return members }
                if nesting.depth == 1 {
                    let kind = wasObject ? JSONKind.object : .array
                    members.append(JSONMember(key: key, kind: kind, value: start..<place.position))
                }
                place.skipWhitespace(bytes)
            }
            place.skipWhitespace(bytes)
        }
    }

    /// Walks over a key and its colon.
    @inline(__always)
    private func key(
        _ lexer: inout JSONLexer, _ keys: inout SeenKeys, isInTable: Bool, _ bytes: Span<UInt8>
    ) throws(JSONFault) -> JSONKey {
        let start = lexer.position + 1
        let isEscaped = try lexer.string(bytes)
        let range = start..<(lexer.position - 1)
        var fingerprint: KeyFingerprint
        var length = range.count
        if isEscaped {
            (fingerprint, length) = KeyFingerprint.unescaping(bytes, range, seed)
        } else {
            fingerprint = KeyFingerprint(bytes, range, seed)
        }
        if keys.count >= most {
            // More than are bound are members of a table, and have ids for names.
            guard isInTable, length == UUIDValue.textLength else { throw .members }
        }
        guard keys.insert(fingerprint, at: range.lowerBound, bytes) else { throw .duplicateKey }
        lexer.skipWhitespace(bytes)
        guard lexer.take(UInt8(ascii: ":"), bytes) else { throw .syntax }
        lexer.skipWhitespace(bytes)
        return JSONKey(range: range, isEscaped: isEscaped)
    }

    private func isTable(_ key: JSONKey, _ bytes: Span<UInt8>) -> Bool {
        guard let table else { return false }
        return key.isEscaped
            ? bytes.unescaped(key.range).span.equals(table) : bytes.extracting(key.range).equals(table)
    }
}
