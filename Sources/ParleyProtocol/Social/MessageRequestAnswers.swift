/// `requests/list`: those who ask to write to the caller and wait for an answer.
public struct ListRequests: Query, PageRequest {
    public static let operation = Operation(validatedArea: "requests", verb: "list")
    public typealias Reply = ListPage<MessageRequest>

    public let page: Page

    public init(page: Page = Page()) { self.page = page }
}

/// `requests/accept`: lets somebody write.
public struct AcceptRequest: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "requests", verb: "accept")
    public typealias Reply = Conversation

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}

/// `requests/decline`: whoever asked does not learn of it.
public struct DeclineRequest: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "requests", verb: "decline")

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}
