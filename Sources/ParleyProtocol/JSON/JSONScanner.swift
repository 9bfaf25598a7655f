/// Scans untrusted JSON text once, by RFC 8259 and the stricter rules of protocol §1.
///
/// It refuses, beside bad syntax: invalid UTF-8, a byte order mark, lone surrogates, duplicate keys (compared without
/// escapes, at every level), nesting beyond `Limits.jsonDepth`, and members beyond the bound. `JSONWalker` then reads
/// accepted text without checks.
struct JSONScanner {
    /// The containers around the position.
    private struct Nesting {
        var depth = 0
        /// One bit for each depth, set for an object.
        private var objects: UInt32 = 0

        @inline(__always)
        var isInObject: Bool { objects & (1 << UInt32(truncatingIfNeeded: depth)) != 0 }

        @inline(__always)
        mutating func open(isObject: Bool) throws(JSONError) {
            guard depth < Limits.jsonDepth else { throw .depth }
            depth += 1
            let bit: UInt32 = 1 << UInt32(truncatingIfNeeded: depth)
            objects = isObject ? objects | bit : objects & ~bit
        }
    }

    /// The places collected in the scan: the members of the outermost object, and the entries of its table, two levels
    /// deeper.
    private struct Notes {
        var members: [JSONMember] = []
        var table: JSONTable
        /// Nothing is collected at a greater depth.
        var depth = 1
        /// The members that contain the position.
        private var outer = JSONMember.none
        private var entry = JSONMember.none
        private var inner = JSONMember.none

        init(_ shape: TableShape?) {
            table = JSONTable(shape)
            members.reserveCapacity(12)
        }

        /// Notes a key.
        mutating func begin(_ key: JSONKey, at start: Int, depth: Int) {
            let member = JSONMember(key: key, kind: .null, value: start..<start)
            switch depth {
            case 1: outer = member
            case 2: entry = member
            default: inner = member
            }
        }

        /// Notes the start of an outermost member's value.
        mutating func enter(isObject: Bool, _ bytes: Span<UInt8>) {
            guard isObject, let shape = table.shape else {
                depth = 1
                return
            }
            let isTable =
                outer.key.isEscaped
                ? bytes.unescaped(outer.key.range).span.equals(shape.name)
                : bytes.extracting(outer.key.range).equals(shape.name)
            depth = isTable ? 3 : 1
        }

        /// Notes the end of a value in an object or an array.
        mutating func end(_ kind: JSONKind, at end: Int, depth: Int, isInObject: Bool, _ bytes: Span<UInt8>) {
            switch depth {
            case 1: members.append(outer.ended(kind, at: end))
            case 2: table.end(entry.ended(kind, at: end))
            default: if isInObject { table.append(inner.ended(kind, at: end), bytes) }
            }
        }
    }

    private let most: Int
    private let table: TableShape?
    private let seed = KeyFingerprint.Seed.shared

    init(_ bound: MemberBound) { self.init(most: bound.most, table: bound.table) }

    /// - Parameters:
    ///   - most: the most members of an object.
    ///   - table: the member that may have more, whose entries are collected.
    init(most: Int, table: TableShape?) { (self.most, self.table) = (most, table) }

    /// Scans the object at the lexer's position, and returns its members and the entries of its table.
    ///
    /// All state is local, so that the compiler keeps it in registers: a hostile payload meets this code first.
    func object(
        _ lexer: inout JSONLexer, _ bytes: Span<UInt8>
    ) throws(JSONError) -> (members: [JSONMember], table: JSONTable) {
        var place = lexer
        defer { lexer = place }
        var nesting = Nesting()
        var keys = SeenKeys()
        var notes = Notes(table)
        guard place.skip(UInt8(ascii: "{"), bytes) else { throw place.missing }
        try nesting.open(isObject: true)
        keys.open()
        place.skipWhitespace(bytes)
        var isFresh = true
        while true {
            // The next value of a container, unless it is empty.
            if !isFresh || !place.isAt(UInt8(ascii: nesting.isInObject ? "}" : "]"), bytes) {
                if nesting.isInObject {
                    let key = try self.key(&place, &keys, isInTable: notes.depth == 3 && nesting.depth == 2, bytes)
                    if nesting.depth <= notes.depth { notes.begin(key, at: place.position, depth: nesting.depth) }
                }
                if let isObject = place.skipOpening(bytes) {
                    if nesting.depth == 1 { notes.enter(isObject: isObject, bytes) }
                    try nesting.open(isObject: isObject)
                    if isObject { keys.open() }
                    place.skipWhitespace(bytes)
                    isFresh = true
                    continue
                }
                let kind = try place.scalar(bytes)
                if nesting.depth <= notes.depth {
                    notes.end(kind, at: place.position, depth: nesting.depth, isInObject: nesting.isInObject, bytes)
                }
            }
            // A value has ended, and perhaps containers around it.
            isFresh = false
            place.skipWhitespace(bytes)
            while !place.skip(UInt8(ascii: ","), bytes) {
                let wasObject = nesting.isInObject
                guard place.skip(UInt8(ascii: wasObject ? "}" : "]"), bytes) else { throw place.missing }
                if wasObject { keys.close() }
                nesting.depth -= 1
                if nesting.depth == 0 { return (notes.members, notes.table) }
                if nesting.depth <= notes.depth {
                    notes.end(
                        wasObject ? .object : .array, at: place.position, depth: nesting.depth,
                        isInObject: nesting.isInObject, bytes)
                }
                place.skipWhitespace(bytes)
            }
            place.skipWhitespace(bytes)
        }
    }

    /// Skips a key and its colon.
    @inline(__always)
    private func key(
        _ lexer: inout JSONLexer, _ keys: inout SeenKeys, isInTable: Bool, _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSONKey {
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
            // Only a table may have more members than the bound; their names are ids.
            guard isInTable, length == UUIDValue.textLength else { throw .members }
        }
        guard keys.insert(fingerprint, at: range.lowerBound, bytes) else { throw .duplicateKey }
        lexer.skipWhitespace(bytes)
        guard lexer.skip(UInt8(ascii: ":"), bytes) else { throw .syntax }
        lexer.skipWhitespace(bytes)
        return JSONKey(range: range, isEscaped: isEscaped)
    }
}
