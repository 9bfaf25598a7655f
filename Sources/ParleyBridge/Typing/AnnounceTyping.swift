import MQTTClient
import ParleyProtocol
import ParleyRules
import ParleyStore

// Typing is transient: QoS 0, never replied to and never stored.

extension StartTyping: GatheredCommandHandler {
    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts) {
        facts.disclosing.append(sender.user)
        facts.disclosedIn.append(conversation)
    }

    /// Whether it is to be announced.
    func decide(in context: DecisionContext) throws -> Bool {
        let user = context.sender.user
        let conversation = try context.visibleConversation(conversation, to: user)
        guard context.permits(.typing, by: user, in: conversation) else { return false }
        // Between two, a user who sends none gets none.
        let users = [user] + (conversation.facts.other(than: user).map { [$0] } ?? [])
        return try users.allSatisfy { try context.disclosure(of: $0)?.sendsTyping ?? false }
    }

    func apply(_ isAnnounced: Bool, in context: ApplyContext) {
        if isAnnounced { context.changeTyping(.started(conversation, context.sender)) }
    }
}

extension StopTyping: GatheredCommandHandler {
    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts) {
        facts.conversations.append(conversation)
    }

    func decide(in context: DecisionContext) throws {
        _ = try context.visibleConversation(conversation, to: context.sender.user)
    }

    func apply(_ decision: Void, in context: ApplyContext) {
        context.changeTyping(.stopped(conversation, context.sender))
    }
}

extension TypingIndicator {
    /// For the devices of other cells.
    var signal: CellSignal {
        var (name, payload): ([UInt8], JSONWriter) = ([], JSONWriter())
        topic.append(to: &name)
        writeEvent(to: &payload)
        return CellSignal(
            topic: String(decoding: name, as: UTF8.self), payload: String(decoding: payload.finish(), as: UTF8.self))
    }
}

extension Effects {
    mutating func announce(_ indicator: TypingIndicator?) {
        guard let indicator else { return }
        outgoing.event(indicator.topic, position: nil, qos: .atMostOnce, indicator.writeEvent)
        typing.append(indicator)
    }
}
