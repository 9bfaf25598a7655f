/// `conversation.created`: the user is now a member.
public struct ConversationCreated: PersonalEvent, GatewayObject {
    package static let names = ["conversation.created"]
    package var received: ReceivedEvent { .conversation(conversation) }

    public let conversation: Conversation

    package init(_ conversation: Conversation) { self.conversation = conversation }

    package init<Pass: FieldPass<ConversationCreated>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.part(\.conversation)
    }
}

/// `conversation.updated`: its name, members or roles have changed.
public struct ConversationUpdated: AddressedEvent, GatewayObject {
    package static let names = ["conversation.updated"]
    package static var isRetained: Bool { true }
    package var topic: Topic { .conversation(conversation.id, .info) }
    package var received: ReceivedEvent { .conversation(conversation) }

    public let conversation: Conversation

    /// - Parameter conversation: its counters are left out, because all members see the same event.
    package init(_ conversation: Conversation) { self.conversation = conversation.withoutCounters }

    package init<Pass: FieldPass<ConversationUpdated>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.part(\.conversation)
    }
}

/// `conversation.removed`: the user is no longer a member.
public struct ConversationRemoval: PersonalEvent, GatewayObject {
    package static let names = ["conversation.removed"]
    package var received: ReceivedEvent { .conversationRemoved(conversation) }

    public let conversation: ConversationID

    public init(conversation: ConversationID) { self.conversation = conversation }

    package init<Pass: FieldPass<ConversationRemoval>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
    }
}
