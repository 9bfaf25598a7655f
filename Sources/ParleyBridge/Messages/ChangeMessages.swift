import ParleyProtocol
import ParleyRules
import ParleyStore

struct ChangeDecision {
    let conversation: ConversationState
    /// The digest of the request, 16 bytes.
    let digest: [UInt8]
    let acceptance: ChangeMessageRule.Decision
    let target: ChangeMessageRule.Target?
}

/// Carries out `messages/edit`, `messages/delete` and `messages/react`.
protocol MessageChangeHandler: MessageChange, GatheredCommandHandler where Decision == ChangeDecision {}

extension MessageChangeHandler {
    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts) {
        let change = change
        facts.sealedFor.append(change.conversation)
        facts.records.append(change.id)
        facts.targets.append(change.message)
        facts.storing.append(sender.user)
    }

    func decide(in context: DecisionContext) throws -> ChangeDecision {
        let (change, sender) = (change, context.sender)
        let conversation = try context.visibleConversation(change.conversation, to: sender.user)
        let digest = try context.digest(of: self)
        let target = try context.target(change.message, in: change.conversation)
        let acceptance = try ChangeMessageRule.decide(
            change, sender: sender,
            facts: ChangeMessageRule.Facts(
                conversation: conversation.facts, existing: try context.location(of: change.id)?.record, digest: digest,
                target: target,
                permission: context.permission(of: sender.user, in: conversation),
                keyedDevices: try context.recipients(of: conversation.facts)),
            now: context.now, steady: context.steady)
        if case .append(let record) = acceptance {
            switch change.kind {
            case .message, .edit, .reaction: try context.checkRoom(for: record.storageCost, of: sender.user)
            // Deletions are never refused: there are no more of them than messages.
            case .delete: break
            }
        }
        return ChangeDecision(conversation: conversation, digest: digest, acceptance: acceptance, target: target)
    }

    func apply(_ decision: ChangeDecision, in context: ApplyContext) throws(StoreError) {
        switch decision.acceptance {
        case .repeated(let first):
            context.accept { first.write(to: &$0) }
        case .append(let record):
            var conversation = decision.conversation
            let position = try context.append(record, to: &conversation, digest: decision.digest)
            if change.kind == .delete {
                try context.transaction.records.removeCiphertext(of: change.message)
                context.afterCommit.hasRemovedCiphertext = true
                if let target = decision.target {
                    let gone = try context.transaction.blobs.discard(
                        seq: target.seq, in: conversation.key, at: context.steady)
                    if gone > 0 { context.wakeBlobRemoval() }
                    context.pushTriggers.removal(
                        of: target.seq, in: conversation, by: context.sender.user, at: position)
                }
            }
            if change.kind == .reaction, let target = decision.target {
                notifySender(of: target, in: conversation, context)
            }
            let accepted = AcceptedChange(
                id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)
            context.accept { accepted.write(to: &$0) }
        }
    }
}

extension MessageChangeHandler {
    /// Notifies the sender of a message of a reaction to it, if they can see the reaction.
    private func notifySender(
        of target: ChangeMessageRule.Target, in conversation: ConversationState, _ context: ApplyContext
    ) {
        let change = change
        guard !conversation.isWithheld(of: context.sender.user),
            conversation.facts.member(target.sender)?.isOpen == true
        else { return }
        context.feed.notify(
            target.sender,
            .reaction(by: context.sender.user, to: change.message, at: target.seq, in: change.conversation))
    }
}

extension EditMessage: MessageChangeHandler {}
extension DeleteMessage: MessageChangeHandler {}
extension ReactToMessage: MessageChangeHandler {}
