// Objects that are tables: their keys are ids.

extension JSONObject {
    /// Gives `body` the name of each member and an object with this member alone, where a search finds it at once.
    func forEachMember(_ body: (String, JSONObject) throws(Rejection) -> Void) throws(Rejection) {
        var single = self
        for (name, member) in zip(names, scanned.list) {
            single.scanned.keep(only: member)
            try body(name, single)
        }
    }

    /// Gives `body` each entry of a table by ids: the id, and the entry's object with the fields of the table's shape.
    ///
    /// - Returns: whether the table is there.
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
    /// An id needs no escapes, but may be spelled with them.
    fileprivate init?(parsing key: JSONKey, in bytes: Span<UInt8>) {
        if key.isEscaped {
            self.init(parsing: bytes.unescaped(key.range).span)
        } else {
            self.init(parsing: bytes.extracting(key.range))
        }
    }
}
