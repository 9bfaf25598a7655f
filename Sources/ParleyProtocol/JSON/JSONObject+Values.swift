// Members that are not strings.

extension JSONObject {
    public func bool(_ name: String) throws(Rejection) -> Bool? {
        guard let value = value(name) else { return nil }
        switch value.kind {
        case .true: return true
        case .false: return false
        case .object, .array, .string, .escapedString, .number, .null: throw .badRequest(name, "not true or false")
        }
    }

    /// A whole number in `range`, in any of JSON's spellings (`60`, `60.0`, `6e1`).
    public func integer(_ name: String, in range: ClosedRange<Int>) throws(Rejection) -> Int? {
        guard let member = value(name) else { return nil }
        guard member.kind == .number, let value = WholeNumber.parse(scanned.bytes.span.extracting(member.place)) else {
            throw .badRequest(name, "not a whole number")
        }
        guard range.contains(value) else {
            throw .badRequest(name, "not in \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A whole number that is not negative.
    func count(_ name: String) throws(Rejection) -> Int? { try integer(name, in: 0...Int.max) }

    func timestamp(_ name: String) throws(Rejection) -> Timestamp? {
        guard value(name) != nil else { return nil }
        // A value of another type gets the same message, which shows the form.
        guard let text = (try? text(name, maximum: 24)) ?? nil, let time = Timestamp(text) else {
            throw .badRequest(name, "not a time in UTC with milliseconds, such as 2026-01-15T09:30:00.000Z")
        }
        return time
    }

    public func object(_ name: String) throws(Rejection) -> JSONObject? {
        guard let value = value(name) else { return nil }
        guard value.kind == .object else { throw .badRequest(name, "not an object") }
        return JSONObject(nested: value.place, of: scanned.bytes)
    }

    /// The objects of an array; more than `maximum` is `too_large`.
    public func objects(_ name: String, maximum: Int) throws(Rejection) -> [JSONObject]? {
        guard let elements = try value(name)?.elements(name, in: scanned.bytes, maximum: maximum) else { return nil }
        var objects: [JSONObject] = []
        objects.reserveCapacity(elements.count)
        for element in elements {
            guard element.kind == .object else { throw .badRequest(name, "an element is not an object") }
            objects.append(JSONObject(nested: element.place, of: scanned.bytes))
        }
        return objects
    }

    /// The ids of an array; more than `maximum` is refused by `excess`, without it as `too_large`.
    public func levels<ID: LevelIdentifier>(
        _ name: String, maximum: Int, excess: Rejection? = nil
    ) throws(Rejection) -> [ID]? {
        try strings(
            name, maximum: maximum, excess: excess, or: "not 1 to 64 letters, digits, _ or -", ID.init(parsing:))
    }

    /// The ids of an array; more than `maximum` is `too_large`.
    func uuids<ID: UUIDIdentifier>(_ name: String, maximum: Int) throws(Rejection) -> [ID]? {
        try strings(name, maximum: maximum, or: "not a lower-case UUID", ID.init(parsing:))
    }

    /// The strings of an array, parsed; `problem` describes an element for which `parse` gives `nil`.
    func strings<Element>(
        _ name: String, maximum: Int, excess: Rejection? = nil, or problem: String,
        _ parse: (Span<UInt8>) -> Element?
    ) throws(Rejection) -> [Element]? {
        guard let elements = try value(name)?.elements(name, in: scanned.bytes, maximum: maximum, excess: excess) else {
            return nil
        }
        var parsed: [Element] = []
        for element in elements {
            guard let value = try element.withString(name, in: scanned.bytes, parse) else {
                throw .badRequest(name, "an element is \(problem)")
            }
            parsed.append(value)
        }
        return parsed
    }

    /// The texts of an array, each of at most `length` Unicode scalars; more than `maximum` texts is `too_large`.
    package func texts(_ name: String, maximum: Int, length: Int) throws(Rejection) -> [String]? {
        try strings(name, maximum: maximum, or: "longer than \(length) characters") { bytes in
            let text = String(copying: bytes)
            return text.unicodeScalars.count <= length ? text : nil
        }
    }

    /// A value of any kind as in the payload; more than `maximumBytes` is `too_large`.
    package func json(_ name: String, maximumBytes: Int) throws(Rejection) -> [UInt8]? {
        guard let value = value(name) else { return nil }
        guard value.place.count <= maximumBytes else {
            throw Rejection(.tooLarge, "\(name): longer than \(maximumBytes) bytes")
        }
        return Array(bytes[value.place])
    }
}
