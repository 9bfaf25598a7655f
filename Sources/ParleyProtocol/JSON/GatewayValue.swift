/// A value that a device reads from an event or a reply of the gateway's.
///
/// Reading ignores unknown members and keeps unknown names as ``Named``; what a field must hold is still looked at.
package protocol GatewayValue: Hashable, Sendable {
    /// Reads the members of a scanned object.
    ///
    /// - Throws: a `bad_request` that names the field.
    init(members: JSONObject) throws(Rejection)
}

extension GatewayValue {
    package init(reading object: JSONObject) throws(ReadingFault) {
        do throws(Rejection) {
            try self.init(members: object)
        } catch {
            throw .field(error.message)
        }
    }

    package init(json: [UInt8]) throws(ReadingFault) {
        try self.init(reading: try JSONObject(reading: json))
    }
}

extension JSONObject {
    init(reading json: [UInt8]) throws(ReadingFault) {
        do throws(JSONFault) {
            try self.init(parsing: json)
        } catch {
            throw .json(error)
        }
    }

    /// The objects of an array; the packet that they came in bounds how many there are.
    func values<Value: GatewayValue>(_ name: String, of _: Value.Type = Value.self) throws(Rejection) -> [Value]? {
        guard let objects = try objects(name, maximum: .max) else { return nil }
        var values: [Value] = []
        values.reserveCapacity(objects.count)
        for object in objects { values.append(try Value(members: object)) }
        return values
    }

    func timestamp(_ name: String) throws(Rejection) -> Timestamp? {
        guard let text = try text(name, maximum: 24) else { return nil }
        guard let time = Timestamp(text) else { throw .badRequest(name, "not a time in UTC with milliseconds") }
        return time
    }

    /// A count: what never is below zero.
    func count(_ name: String) throws(Rejection) -> Int? { try integer(name, in: 0...Int.max) }
}
