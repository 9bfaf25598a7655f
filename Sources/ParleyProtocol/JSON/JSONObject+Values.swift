// Members that are no strings.

extension JSONObject {
    public func bool(_ name: String) throws(Rejection) -> Bool? {
        guard let member = member(name) else { return nil }
        switch member.kind {
        case .true: return true
        case .false: return false
        case .object, .array, .string, .escapedString, .number, .null: throw .badRequest(name, "not true or false")
        }
    }

    /// A whole number in `range`, in any of JSON's spellings (`60`, `60.0`, `6e1`).
    public func integer(_ name: String, in range: ClosedRange<Int>) throws(Rejection) -> Int? {
        guard let member = member(name) else { return nil }
        guard member.kind == .number, let value = WholeNumber.parse(bytes.span.extracting(member.value)) else {
            throw .badRequest(name, "not a whole number")
        }
        guard range.contains(value) else {
            throw .badRequest(name, "not in \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    public func isNumber(_ name: String) -> Bool { member(name)?.kind == .number }

    /// The objects of an array; more than `maximum` is `too_large`.
    public func objects(_ name: String, maximum: Int) throws(Rejection) -> [JSONObject]? {
        guard let elements = try elements(name, maximum: maximum) else { return nil }
        var objects: [JSONObject] = []
        objects.reserveCapacity(elements.count)
        for (kind, range) in elements {
            guard kind == .object else { throw .badRequest(name, "an element is not an object") }
            objects.append(JSONObject(nested: range, of: bytes))
        }
        return objects
    }

    public func object(_ name: String) throws(Rejection) -> JSONObject? {
        guard let member = member(name) else { return nil }
        guard member.kind == .object else { throw .badRequest(name, "not an object") }
        return JSONObject(nested: member.value, of: bytes)
    }

    /// The ids of an array; more than `maximum` is refused by `excess`, without it as `too_large`.
    public func levels<ID: LevelIdentifier>(
        _ name: String, maximum: Int, excess: Rejection? = nil
    ) throws(Rejection) -> [ID]? {
        guard let elements = try elements(name, maximum: maximum, excess: excess) else { return nil }
        var ids: [ID] = []
        for (kind, range) in elements {
            let id = try withString(kind, range, name) { (bytes) throws(Rejection) -> ID in
                guard let id = ID(parsing: bytes) else {
                    throw .badRequest(name, "an element is not 1 to 64 letters, digits, _ or -")
                }
                return id
            }
            ids.append(id)
        }
        return ids
    }

    /// The UUIDs of an array; the packet that they came in bounds how many there are.
    func uuids<ID: UUIDIdentifier>(_ name: String, as _: ID.Type = ID.self) throws(Rejection) -> [ID]? {
        guard let elements = try elements(name, maximum: .max) else { return nil }
        var ids: [ID] = []
        for (kind, range) in elements {
            let id = try withString(kind, range, name) { (bytes) throws(Rejection) -> ID in
                guard let id = ID(parsing: bytes) else {
                    throw .badRequest(name, "an element is not a lower-case UUID")
                }
                return id
            }
            ids.append(id)
        }
        return ids
    }

    private func elements(
        _ name: String, maximum: Int, excess: Rejection? = nil
    ) throws(Rejection) -> [(JSONKind, Range<Int>)]? {
        guard let member = member(name) else { return nil }
        guard member.kind == .array else { throw .badRequest(name, "not an array") }
        var elements: [(JSONKind, Range<Int>)] = []
        var walker = JSONWalker(member.value)
        while let element = walker.nextElement(bytes.span) {
            guard elements.count < maximum else {
                throw excess ?? Rejection(.tooLarge, "\(name): more than \(maximum) elements")
            }
            elements.append(element)
        }
        return elements
    }
}
