/// How far somebody has come in a log, as places in it: `read <= delivered`.
public struct Watermarks: GatewayObject {
    public var delivered: Int
    public var read: Int

    public init(delivered: Int = 0, read: Int = 0) { (self.delivered, self.read) = (delivered, read) }

    package init<Pass: FieldPass<Watermarks>>(fields pass: inout Pass) throws(Pass.Failure) {
        delivered = try pass.required("delivered", \.delivered)
        read = try pass.required("read", \.read)
    }
}

/// The watermarks of a conversation's members: a table by their ids.
package struct WatermarksForm: FieldForm {
    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UserID: Watermarks]? {
        guard let table = try object.object(name) else { return nil }
        var watermarks: [UserID: Watermarks] = [:]
        for (key, marks) in try table.objectMembers(name) {
            guard let user = UserID(key) else { throw .badRequest(name, "a name is not a user id") }
            watermarks[user] = try Watermarks(members: marks)
        }
        return watermarks
    }

    package func write(_ value: [UserID: Watermarks], to writer: inout JSONWriter) {
        writer.object { table in
            for (user, places) in value.sorted(by: { $0.key < $1.key }) {
                table.key(user)
                places.write(to: &table)
            }
        }
    }
}
