// Objects that are tables: their keys are ids.

extension JSONObject {
    /// The members of an object that is a table: their names as they are meant, and their values, which are objects.
    ///
    /// - Parameter field: what a `bad_request` names.
    func objectMembers(_ field: String) throws(Rejection) -> [(name: String, value: JSONObject)] {
        var values: [(name: String, value: JSONObject)] = []
        values.reserveCapacity(scanned.list.count)
        for member in scanned.list {
            guard member.kind == .object else { throw .badRequest(field, "a value is not an object") }
            let name = scanned.withKey(of: member) { String(copying: $0) }
            values.append((name, JSONObject(nested: member.value, of: scanned.bytes)))
        }
        return values
    }

    /// Gives `body` the entries of a field that is a table by ids: each id, and its value, which is an object of which
    /// the table's fields can be read.
    ///
    /// - Returns: whether the field is there.
    func forEachEntry<ID: UUIDIdentifier>(
        of table: TableShape, _ body: (ID, JSONObject) throws(Rejection) -> Void
    ) throws(Rejection) -> Bool {
        let field = table.name
        guard let value = value(field) else { return false }
        guard value.kind == .object else { throw .badRequest(field, "not an object") }
        var object = JSONObject(nested: 0..<0, of: scanned.bytes)
        let entries = scanned.entries(of: table)
        for entry in entries.entries {
            guard let id = ID(parsing: entry.key, in: bytes.span) else {
                throw .badRequest(field, "a name is not a lower-case UUID")
            }
            guard entry.kind == .object else { throw .badRequest(field, "a value is not an object") }
            object.scanned.become(entry, of: entries)
            try body(id, object)
        }
        return true
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
