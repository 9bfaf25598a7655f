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

    /// A value of any kind as it stands in the payload; more than `maximumBytes` is `too_large`.
    func json(_ name: String, maximumBytes: Int) throws(Rejection) -> [UInt8]? {
        guard let member = member(name) else { return nil }
        guard member.value.count <= maximumBytes else {
            throw Rejection(.tooLarge, "\(name): longer than \(maximumBytes) bytes")
        }
        return Array(bytes[member.value])
    }
}
