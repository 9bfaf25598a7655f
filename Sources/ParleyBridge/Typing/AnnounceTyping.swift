import MQTTClient
import ParleyProtocol
import ParleyRules
import ParleyStore

// Typing is of now: QoS 0, never replied to, never stored, and forgotten with the process.

extension Writer {
    /// `typing/start`
    func startTyping(
        _ id: ConversationID, _ sender: DeviceAddress, _ facts: Snapshot, _ effects: inout Effects, now: Timestamp
    ) throws {
        let conversation = try visibleConversation(id, to: sender.user, facts)
        guard permits(.typing, by: sender.user, in: conversation, now: now),
            try sendsTyping(sender.user, in: conversation, facts)
        else { return }
        effects.announce(typing.start(id, sender: sender, now: now))
    }

    /// Whether the user wants typing to be sent. Between two, who sends none is sent none.
    private func sendsTyping(
        _ user: UserID, in conversation: ConversationState, _ facts: Snapshot
    ) throws -> Bool {
        let users = [user] + (conversation.facts.other(than: user).map { [$0] } ?? [])
        return try users.allSatisfy { try facts.profile($0)?.sendsTyping ?? false }
    }

    /// `typing/stop`
    func stopTyping(
        _ conversation: ConversationID, _ sender: DeviceAddress, _ facts: Snapshot, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        _ = try visibleConversation(conversation, to: sender.user, facts)
        effects.announce(typing.stop(conversation, sender: sender, now: now))
    }

    /// The stops that are due because no renewal came.
    func expireTyping(now: Timestamp) -> Effects {
        var effects = Effects()
        for indicator in typing.expire(now: now) { effects.announce(indicator) }
        return effects
    }
}

extension Effects {
    mutating func announce(_ indicator: TypingIndicator?) {
        guard let indicator else { return }
        outgoing.event(.conversation(indicator.conversation, .typing), position: nil, qos: .atMostOnce) {
            indicator.writeEvent(to: &$0)
        }
    }
}

extension StartTyping: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.startTyping(
            conversation, context.sender, context.transaction.facts, &effects, now: context.now)
    }
}

extension StopTyping: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.stopTyping(
            conversation, context.sender, context.transaction.facts, &effects, now: context.now)
    }
}
