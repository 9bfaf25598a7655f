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
        guard var conversation = try conversation(message.conversation, facts) else {
            throw Rejection.conversationNotFound
        }
        let preimage = message.identityPreimage(sender: route.address)
        let digest = try BLAKE2b.hash(preimage.span, length: .bytes16)
        let acceptance = AcceptMessage.Facts(
            conversation: conversation.facts, existing: try facts.identity(of: message.id), digest: digest,
            knowsReplyTarget: try message.replyTo.map {
                try facts.seq(of: $0, in: conversation, visibleTo: route.address.user) != nil
            } ?? true,
            keyedDevices: try keyedDevices(conversation.facts.users, besides: route.address, facts),
            relationship: conversation.relationship, requestRenewal: settings.requestRenewal)
        let decision: AcceptMessage.Decision
        do throws(Rejection) {
            decision = try AcceptMessage.decide(
                message, sender: route.address, facts: acceptance, now: now, steps: steps)
        } catch {
            if error.code == .staleDevices {
                try chargeDevices(of: conversation.facts, toldTo: route.address.user, facts, now: now)
            }
            throw error
        }
        switch decision {
        case .repeated(let first):
            effects.outgoing.accept(route) { first.write(to: &$0) }
        case .append(let record, let permission):
            try checkRoom(for: record.storageCost, of: route.address.user, facts)
            if let permission { try limitFirstMessage(under: permission, record, conversation, now: now) }
            try append(record, to: &conversation, digest: digest, transaction, &effects)
            if let permission { try settle(record, under: permission, conversation, transaction, &effects, now: now) }
            counters.messages.add(1)
            guard !message.echoIsReply else { return }
            let sent = SentMessage(
                id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)
            effects.outgoing.accept(route) { sent.write(to: &$0) }
        }
    }

    /// `stale_devices` names the devices there are: about a stranger that counts as a fetch of their keys.
    ///
    /// - Throws: `rate_limited`, which then takes its place.
    private func chargeDevices(
        of conversation: ConversationFacts, toldTo user: UserID, _ facts: Snapshot, now: Timestamp
    ) throws {
        guard let other = conversation.other(than: user), try facts.isStranger(other, to: user) else { return }
        try strangers.chargeKeyFetch(by: user, now: now)
    }
}

extension SendMessage: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.send(self, context.route, context.transaction, &effects, now: context.now)
    }
}
