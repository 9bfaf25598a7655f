/// The `data` of an accepted `messages/edit`, `messages/delete` or `messages/react`: the record of the change.
public struct AcceptedChange: GatewayObject {
    /// Of the change. For a message that was already deleted, the id of that deletion.
    public let id: MessageID
    public let epoch: String
    public let seq: Int
    public let createdAt: Timestamp

    public init(id: MessageID, epoch: String, seq: Int, createdAt: Timestamp) {
        (self.id, self.epoch, self.seq, self.createdAt) = (id, epoch, seq, createdAt)
    }

    package init<Pass: FieldPass<AcceptedChange>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        epoch = try pass.required("epoch", \.epoch, as: .epoch)
        seq = try pass.required("seq", \.seq, as: .seq)
        createdAt = try pass.required("created_at", \.createdAt)
    }
}
