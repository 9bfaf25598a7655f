import ParleyProtocol
import ParleyRules
import ParleyStore

struct ReceiptDecision {
    let conversation: ConversationState
    let member: MemberFacts
    /// `nil` if no watermark moves.
    let advance: ReceiptRule.Advance?
    /// The user's watermark afterwards.
    let watermark: Watermark
}

/// Carries out `receipts/delivered` and `receipts/read`.
protocol ReceiptHandler: ReceiptRequest, GatheredCommandHandler where Decision == ReceiptDecision {}

extension ReceiptHandler {
    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts) {
        let mark = mark
        facts.disclosing.append(sender.user)
        facts.disclosedIn.append(mark.conversation)
        facts.records.append(mark.message)
        facts.receipts.append(FactKeys.Receipt(conversation: mark.conversation, reader: sender))
    }

    func decide(in context: DecisionContext) throws -> ReceiptDecision {
        let (mark, user) = (mark, context.sender.user)
        let conversation = try context.visibleConversation(mark.conversation, to: user)
        guard let member = conversation.facts.member(user),
            let seq = try context.location(of: mark.message)?.seq(in: conversation.facts, visibleTo: user),
            let state = try context.receipts(in: mark.conversation)
        else { throw Rejection.messageNotFound }
        let advance = ReceiptRule.decide(
            mark.kind, upTo: seq, state, try disclosure(by: user, in: conversation, context), now: context.now)
        return ReceiptDecision(
            conversation: conversation, member: member, advance: advance,
            watermark: try watermark(of: member, advance?.user ?? state.user, seq, conversation, context))
    }

    /// The receipts of the reader that are disclosed to the others.
    private func disclosure(
        by user: UserID, in conversation: ConversationState, _ context: DecisionContext
    ) throws -> ReceiptDisclosure {
        let other = try conversation.facts.other(than: user).map { other in
            ReceiptDisclosure.Other(
                permission: context.permission(of: user, in: conversation) ?? .refused(.unknownUser),
                sendsReadReceipts: try context.disclosure(of: other)?.sendsReadReceipts ?? false)
        }
        return ReceiptDisclosure.decide(
            sendsReadReceipts: try context.disclosure(of: user)?.sendsReadReceipts ?? false, other: other)
    }

    /// - Parameter seq: the place of the message that the receipt names.
    private func watermark(
        of member: MemberFacts, _ state: WatermarkFacts, _ seq: Int, _ conversation: ConversationState,
        _ context: DecisionContext
    ) throws -> Watermark {
        let mark = mark
        let (reached, at) =
            switch mark.kind {
            case .delivered: (state.deliveredSeq, state.deliveredAt)
            case .read: (state.readSeq, state.readAt)
            }
        let message =
            reached == seq ? mark.message : try context.facts.records.id(at: reached, in: conversation.key)
        guard let message else { throw Rejection.messageNotFound }
        // Until their first receipt a member's watermarks are at the place where they have joined.
        return Watermark(
            conversation: mark.conversation, user: member.user, kind: mark.kind, message: message, seq: reached,
            at: at ?? member.joinedAt)
    }

    func apply(_ decision: ReceiptDecision, in context: ApplyContext) throws(StoreError) {
        if let advance = decision.advance {
            context.advance(advance, in: decision.conversation)
            try announce(advance, decision, context)
        }
        context.accept { decision.watermark.write(to: &$0) }
    }

    private func announce(
        _ advance: ReceiptRule.Advance, _ decision: ReceiptDecision, _ context: ApplyContext
    ) throws(StoreError) {
        let (mark, conversation, member) = (mark, decision.conversation, decision.member)
        if let kind = advance.announcement {
            try context.publish(
                Watermark(
                    conversation: mark.conversation, user: member.user, kind: kind, message: mark.message,
                    seq: kind == .read ? advance.disclosed.read : advance.disclosed.delivered, at: context.now))
        }
        if advance.hasRead {
            let reading = ConversationReading(
                conversation: mark.conversation, message: mark.message, seq: advance.user.readSeq,
                unread: .countedLater, at: context.now)
            let unread = UnreadSpan(
                user: member.user, conversation: conversation.key, after: max(advance.user.readSeq, member.joinedSeq),
                through: conversation.facts.lastSeq)
            let position = try context.publish(reading, to: member.user, unread: .conversation(unread))
            context.pushTriggers.clearing(
                upTo: advance.user.readSeq, in: conversation.key, of: member.user, besides: context.sender.device,
                at: position)
        }
    }
}

extension MarkDelivered: ReceiptHandler {}
extension MarkRead: ReceiptHandler {}
