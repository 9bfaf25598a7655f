import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// `receipts/delivered`, `receipts/read`
    func mark(
        _ receipt: MarkReceipt, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let facts = transaction.facts
        let user = route.address.user
        let conversation = try visibleConversation(receipt.conversation, to: user, facts)
        guard let seq = try facts.seq(of: receipt.message, in: conversation.key),
            let current = try facts.watermark(of: user, in: conversation.key)
        else { throw Rejection.messageNotFound }
        guard let advanced = AdvanceWatermark.decide(receipt.kind, upTo: seq, current: current, now: now) else {
            let standing = try watermark(receipt, user, current, conversation, facts)
            effects.outgoing.accept(route) { standing.write(to: &$0) }
            return
        }
        try transaction.setWatermark(advanced, of: user, in: conversation.key)
        let watermark = Watermark(
            conversation: receipt.conversation, user: user, kind: receipt.kind, message: receipt.message, seq: seq,
            at: now)
        try effects.event(.conversation(receipt.conversation, .receipts), transaction) {
            watermark.writeEvent(to: &$0)
        }
        effects.outgoing.accept(route) { watermark.write(to: &$0) }
    }

    /// The watermark as it stands.
    private func watermark(
        _ receipt: MarkReceipt, _ user: UserID, _ current: WatermarkFacts, _ conversation: ConversationState,
        _ facts: Snapshot
    ) throws -> Watermark {
        let (seq, at) =
            switch receipt.kind {
            case .delivered: (current.deliveredSeq, current.deliveredAt)
            case .read: (current.readSeq, current.readAt)
            }
        guard let at, let message = try facts.messageID(at: seq, in: conversation.key) else {
            throw Rejection.messageNotFound
        }
        return Watermark(
            conversation: receipt.conversation, user: user, kind: receipt.kind, message: message, seq: seq, at: at)
    }
}
