/// `conversation.created`: the user is a member of it now.
public struct ConversationCreated: PersonalEvent, GatewayObject {
    package static let names = ["conversation.created"]
    package var received: ReceivedEvent { .conversation(conversation) }

    public let conversation: Conversation

    package init(_ conversation: Conversation) { self.conversation = conversation }

    package init<Pass: FieldPass<ConversationCreated>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.part(\.conversation)
    }
}

/// `conversation.updated`: its name, members or roles are others.
public struct ConversationUpdated: AddressedEvent, GatewayObject {
    package static let names = ["conversation.updated"]
    package static var isRetained: Bool { true }
    package var topic: Topic { .conversation(conversation.id, .info) }
    package var received: ReceivedEvent { .conversation(conversation) }

    public let conversation: Conversation

    /// - Parameter conversation: all members see the same of it: its counters are left out.
    package init(_ conversation: Conversation) { self.conversation = conversation.withoutCounters }

    package init<Pass: FieldPass<ConversationUpdated>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.part(\.conversation)
    }
}

/// `conversation.removed`: the user is no member any more.
public struct ConversationRemoval: PersonalEvent, GatewayObject {
    package static let names = ["conversation.removed"]
    package var received: ReceivedEvent { .conversationRemoved(conversation) }

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }

    package init<Pass: FieldPass<ConversationRemoval>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
    }
}
