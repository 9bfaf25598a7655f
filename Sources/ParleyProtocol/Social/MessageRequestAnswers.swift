/// `requests/list`: the unanswered requests to write to the caller.
public struct ListRequests: Query, PageRequest {
    public static let operation = Operation(validatedArea: "requests", verb: "list")
    public typealias Reply = ListPage<MessageRequest>

    public let page: Page

    public init(page: Page = Page()) { self.page = page }
}

/// `requests/accept`
public struct AcceptRequest: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "requests", verb: "accept")
    public typealias Reply = Conversation

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}

/// `requests/decline`: the other does not learn of it.
public struct DeclineRequest: Command, ConversationRequest {
    public static let operation = Operation(validatedArea: "requests", verb: "decline")

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }
}
