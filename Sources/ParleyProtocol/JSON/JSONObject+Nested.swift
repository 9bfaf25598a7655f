extension JSONObject {
    /// The members of an object that is a table: their names as they are meant, and their values, which are objects.
    ///
    /// - Parameter field: what a `bad_request` names.
    func objectMembers(_ field: String) throws(Rejection) -> [(name: String, value: JSONObject)] {
        var values: [(name: String, value: JSONObject)] = []
        values.reserveCapacity(members.count)
        for member in members {
            guard member.kind == .object else { throw .badRequest(field, "a value is not an object") }
            values.append((withKey(of: member) { String(copying: $0) }, JSONObject(nested: member.value, of: bytes)))
        }
        return values
    }

    /// How many bytes a field's value has, 0 without it.
    func length(of name: String) -> Int { member(name)?.value.count ?? 0 }

    /// Gives `body` the entries of a field that is a table by ids: each id, and its value, which is an object of which the
    /// table's fields can be read.
    ///
    /// - Returns: whether the field is there.
    func forEachEntry<ID: UUIDIdentifier>(
        of table: TableShape, _ body: (ID, JSONObject) throws(Rejection) -> Void
    ) throws(Rejection) -> Bool {
        let field = table.name
        guard let member = member(field) else { return false }
        guard member.kind == .object else { throw .badRequest(field, "not an object") }
        var value = JSONObject(nested: 0..<0, of: bytes)
        let entries = entries(of: table)
        for entry in entries.entries {
            guard let id = ID(parsing: entry.key, in: bytes.span) else {
                throw .badRequest(field, "a name is not a lower-case UUID")
            }
            guard entry.kind == .object else { throw .badRequest(field, "a value is not an object") }
            value.become(entry, of: entries)
            try body(id, value)
        }
        return true
    }

    /// A value of any kind as it stands in the payload; more than `maximumBytes` is `too_large`.
    func json(_ name: String, maximumBytes: Int) throws(Rejection) -> [UInt8]? {
        guard let member = member(name) else { return nil }
        guard member.value.count <= maximumBytes else {
            throw Rejection(.tooLarge, "\(name): longer than \(maximumBytes) bytes")
        }
        return Array(bytes[member.value])
    }
}

extension UUIDIdentifier {
    /// An id has nothing to escape; spelled with escapes it is one all the same.
    fileprivate init?(parsing key: JSONKey, in bytes: Span<UInt8>) {
        if key.isEscaped {
            self.init(parsing: bytes.unescaped(key.range).span)
        } else {
            self.init(parsing: bytes.extracting(key.range))
        }
    }
}
