import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension Writer {
    /// `messages/send`
    func send(
        _ message: SendMessage, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let facts = transaction.facts
        var conversation = try visibleConversation(message.conversation, to: route.address.user, facts)
        let preimage = message.identityPreimage(sender: route.address)
        let digest = try BLAKE2b.hash(preimage.span, length: .bytes16)
        let decision = try AcceptMessage.decide(
            message, sender: route.address,
            facts: AcceptMessage.Facts(
                conversation: conversation.facts, existing: try facts.identity(of: message.id), digest: digest,
                knowsReplyTarget: try message.replyTo.map {
                    try facts.seq(of: $0, in: conversation, visibleTo: route.address.user) != nil
                } ?? true,
                keyedDevices: try keyedDevices(conversation.facts.users, besides: route.address, facts)),
            now: now)
        switch decision {
        case .repeated(let first):
            effects.outgoing.accept(route) { first.write(to: &$0) }
        case .append(let record):
            try limitFirstMessage(record, conversation.facts, now: now)
            try append(record, to: &conversation, digest: digest, transaction, &effects)
            counters.messages.add(1)
            guard !message.echoIsReply else { return }
            let sent = SentMessage(
                id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)
            effects.outgoing.accept(route) { sent.write(to: &$0) }
        }
    }

    /// The first message of a direct conversation counts against what one may write to strangers.
    private func limitFirstMessage(
        _ record: MessageRecord, _ conversation: ConversationFacts, now: Timestamp
    ) throws(Rejection) {
        guard conversation.type == .direct, record.seq == 1 else { return }
        guard let wait = firstMessages.take(record.sender.user, now: now) else { return }
        throw Rejection(
            .rateLimited, "Too many first messages to others; wait a little.", retryAfterMilliseconds: wait)
    }
}
