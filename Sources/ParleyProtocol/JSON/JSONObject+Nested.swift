extension JSONObject {
    /// The members of an object that is a table: their names as they are meant, and their values, which are objects.
    ///
    /// - Parameter field: what a `bad_request` names.
    func objectMembers(_ field: String) throws(Rejection) -> [(name: String, value: JSONObject)] {
        var values: [(name: String, value: JSONObject)] = []
        values.reserveCapacity(members.count)
        for (name, member) in zip(names, members) {
            guard member.kind == .object else { throw .badRequest(field, "a value is not an object") }
            values.append((name, try JSONObject(nested: member.value, of: bytes)))
        }
        return values
    }

    /// Gives `body` the members of an object that is a table by ids: each id, and its value, which is an object.
    ///
    /// - Parameter field: what a `bad_request` names.
    func forEachMember<ID: UUIDIdentifier>(
        _ field: String, _ body: (ID, JSONObject) throws(Rejection) -> Void
    ) throws(Rejection) {
        for member in members {
            // An id has nothing to escape; spelled with escapes it is one all the same.
            let name = bytes.span.unescaped(member.key)
            guard let id = ID(parsing: name.span) else { throw .badRequest(field, "a name is not a lower-case UUID") }
            guard member.kind == .object else { throw .badRequest(field, "a value is not an object") }
            try body(id, try JSONObject(nested: member.value, of: bytes))
        }
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
