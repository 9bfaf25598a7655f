/// The `data` of an accepted `messages/edit`, `messages/delete` or `messages/react`: the record that the change became.
public struct AcceptedChange: Hashable, Sendable {
    /// Of the change. Where a message was deleted before under another id, that of the deletion there is.
    public let id: MessageID
    public let epoch: String
    public let seq: Int
    public let createdAt: Timestamp

    public init(id: MessageID, epoch: String, seq: Int, createdAt: Timestamp) {
        self.id = id
        self.epoch = epoch
        self.seq = seq
        self.createdAt = createdAt
    }

    public func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("id", id)
            $0.member("epoch", epoch)
            $0.member("seq", seq)
            $0.member("created_at", createdAt)
        }
    }
}

extension AcceptedChange: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            id: try object.uuid("id").required("id"),
            epoch: try object.text("epoch", maximum: Limits.epochCharacters).required("epoch"),
            seq: try object.integer("seq", in: 1...Int.max).required("seq"),
            createdAt: try object.timestamp("created_at").required("created_at"))
    }
}
