/// An announcement by the gateway itself: the `system` of a message of that type (protocol §3).
public struct SystemNotice: GatewayObject {
    /// A ``SystemEvent`` by its name.
    public let event: String
    /// The member in question.
    public let user: UserID?
    /// The user who did it.
    public let by: UserID?

    public init(event: String, user: UserID?, by: UserID?) { (self.event, self.user, self.by) = (event, user, by) }

    package init<Pass: FieldPass<SystemNotice>>(fields pass: inout Pass) throws(Pass.Failure) {
        event = try pass.required("event", \.event, as: .text(64))
        user = try pass.optional("user_id", \.user)
        by = try pass.optional("by", \.by)
    }
}
