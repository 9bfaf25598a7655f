// For how long the gateway keeps messages of a conversation: `admin/*-retention`.

/// `admin/get-retention`
public struct GetRetention: Query, ConversationRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "get-retention")
    package static let askers = Askers.operators
    public typealias Reply = Retention

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}

/// `admin/set-retention`: for how long the gateway keeps what is written in a conversation.
public struct SetRetention: Command {
    public static let operation = Operation(validatedArea: "admin", verb: "set-retention")
    package static let askers = Askers.operators
    public typealias Reply = Retention

    public let conversation: ConversationID
    /// 0 for ever; `nil` as the gateway's settings say.
    public let days: Int?

    public init(conversation: ConversationID, days: Int?) { (self.conversation, self.days) = (conversation, days) }

    package init<Pass: FieldPass<SetRetention>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        days = try pass.optional("days", \.days, as: .integer(Retention.range))
    }
}

/// The `data` of replies to `admin/get-retention` and `admin/set-retention`.
public struct Retention: GatewayObject {
    /// In days; 0 for ever.
    package static let range = 0...36_500

    public let conversation: ConversationID
    /// For how long messages are kept, in days; 0 for ever.
    public let days: Int
    /// Whether that is the conversation's own; else it is the gateway's setting.
    public let isOwn: Bool

    public init(conversation: ConversationID, days: Int, isOwn: Bool) {
        (self.conversation, self.days, self.isOwn) = (conversation, days, isOwn)
    }

    package init<Pass: FieldPass<Retention>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        days = try pass.required("days", \.days, as: .integer(Retention.range))
        isOwn = try pass.required("is_own", \.isOwn)
    }
}
