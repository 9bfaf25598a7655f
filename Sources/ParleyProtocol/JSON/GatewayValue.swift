/// A value that a device reads from an event or a reply.
///
/// Reading ignores unknown members and keeps unknown names as ``Named``; known fields are still checked.
package protocol GatewayValue: Hashable, Sendable {
    /// Reads the members of a scanned object.
    ///
    /// - Throws: a `bad_request` that names the field.
    init(members: JSONObject) throws(Rejection)
}

extension GatewayValue {
    package init(reading object: JSONObject) throws(ReadingError) {
        do throws(Rejection) {
            try self.init(members: object)
        } catch {
            throw .field(error.message)
        }
    }

    package init(json: [UInt8]) throws(ReadingError) {
        try self.init(reading: try JSONObject(reading: json))
    }
}

extension JSONObject {
    init(reading json: [UInt8]) throws(ReadingError) {
        do throws(JSONError) {
            try self.init(parsing: json)
        } catch {
            throw .json(error)
        }
    }
}
