/// `typing/start`: the user writes.
public struct StartTyping: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "typing", verb: "start")
    public static let hasReply = false

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}

/// `typing/stop`: the user writes no more.
public struct StopTyping: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "typing", verb: "stop")
    public static let hasReply = false

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}
