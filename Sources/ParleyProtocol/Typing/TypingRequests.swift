/// `typing/start`
public struct StartTyping: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "typing", verb: "start")
    public static let hasReply = false

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}

/// `typing/stop`
public struct StopTyping: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "typing", verb: "stop")
    public static let hasReply = false

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}
