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
        guard let member = conversation.facts.member(user),
            let seq = try facts.seq(of: receipt.message, in: conversation, visibleTo: user),
            let state = try facts.receipts(of: route.address, in: conversation.key)
        else { throw Rejection.messageNotFound }
        let advance = AdvanceWatermark.decide(
            receipt.kind, upTo: seq,
            AdvanceWatermark.Facts(
                user: state.user, device: state.device, told: state.told,
                disclosure: try disclosure(of: state, by: user, in: conversation, facts, now: now)), now: now)
        if let advance {
            try transaction.advance(advance, of: route.address, in: conversation.key)
            try announce(advance, receipt, by: member, conversation, transaction, &effects, now: now)
        }
        let standing = try watermark(receipt.kind, of: member, advance?.user ?? state.user, conversation, facts)
        effects.outgoing.accept(route) { standing.write(to: &$0) }
    }

    /// What of the reader's receipts the others are told.
    private func disclosure(
        of state: ReceiptState, by user: UserID, in conversation: ConversationState, _ facts: Snapshot, now: Timestamp
    ) throws -> ReceiptDisclosure {
        let other = try conversation.facts.other(than: user).map { other in
            ReceiptDisclosure.Other(
                permission: permission(of: user, in: conversation, now: now) ?? .refused(.unknownUser),
                sendsReadReceipts: try facts.sendsReadReceipts(other))
        }
        return ReceiptDisclosure.decide(sendsReadReceipts: state.sendsReadReceipts, other: other)
    }

    private func announce(
        _ advance: AdvanceWatermark.Advance, _ receipt: MarkReceipt, by member: MemberFacts,
        _ conversation: ConversationState, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        let (id, user) = (conversation.facts.id, member.user)
        if let kind = advance.announcement {
            let watermark = Watermark(
                conversation: id, user: user, kind: kind, message: receipt.message,
                seq: kind == .read ? advance.told.read : advance.told.delivered, at: now)
            try effects.event(.conversation(id, .receipts), transaction) { watermark.writeEvent(to: &$0) }
        }
        if advance.hasRead {
            let read = ReceivedReading(
                conversation: id, message: receipt.message, seq: advance.user.readSeq, unreadCount: 0, at: now)
            let unread = UnreadSpan(
                user: user, conversation: conversation.key, after: max(advance.user.readSeq, member.joinedSeq),
                through: conversation.facts.lastSeq)
            try effects.event(.user(user, .events), unread: unread, transaction) {
                read.writeEvent(to: &$0, isCounted: false)
            }
        }
    }

    /// A watermark of the user's as it stands.
    private func watermark(
        _ kind: ReceiptKind, of member: MemberFacts, _ state: WatermarkFacts, _ conversation: ConversationState,
        _ facts: Snapshot
    ) throws -> Watermark {
        let (seq, at) =
            switch kind {
            case .delivered: (state.deliveredSeq, state.deliveredAt)
            case .read: (state.readSeq, state.readAt)
            }
        guard let message = try facts.messageID(at: seq, in: conversation.key) else { throw Rejection.messageNotFound }
        // Until his first receipt a member's watermarks stand where he has joined.
        return Watermark(
            conversation: conversation.facts.id, user: member.user, kind: kind, message: message, seq: seq,
            at: at ?? member.joinedAt)
    }
}

/// What carries out both.
protocol ReceiptHandler: ReceiptRequest, CommandHandler {}

extension ReceiptHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.mark(mark, context.route, context.transaction, &effects, now: context.now)
    }
}

extension MarkDelivered: ReceiptHandler {}
extension MarkRead: ReceiptHandler {}
