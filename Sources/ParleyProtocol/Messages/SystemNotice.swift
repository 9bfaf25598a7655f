/// What the gateway itself announces in a conversation: the `system` of a message of that type (protocol §3).
public struct SystemNotice: GatewayObject {
    /// What happened, by its name.
    public let event: String
    /// Whom it is about.
    public let user: UserID?
    /// Who did it.
    public let by: UserID?

    public init(event: String, user: UserID?, by: UserID?) { (self.event, self.user, self.by) = (event, user, by) }

    package init<Pass: FieldPass<SystemNotice>>(fields pass: inout Pass) throws(Pass.Failure) {
        event = try pass.required("event", \.event, as: .text(64))
        user = try pass.optional("user_id", \.user)
        by = try pass.optional("by", \.by)
    }
}
