import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension Writer {
    /// `messages/edit`, `messages/delete`, `messages/react`
    func change(
        _ change: ChangeMessage, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let (facts, sender) = (transaction.facts, route.address)
        var conversation = try visibleConversation(change.conversation, to: sender.user, facts)
        let preimage = change.identityPreimage(sender: sender)
        let digest = try BLAKE2b.hash(preimage.span, length: .bytes16)
        let decision = try AcceptChange.decide(
            change, sender: sender,
            facts: AcceptChange.Facts(
                conversation: conversation.facts, existing: try facts.identity(of: change.id), digest: digest,
                target: try facts.target(change.message, in: conversation.key, seenBy: sender.user),
                permission: permission(of: sender.user, in: conversation, now: now),
                keyedDevices: try keyedDevices(conversation.facts.users, besides: sender, facts)),
            now: now, steps: steps)
        switch decision {
        case .repeated(let first):
            effects.outgoing.accept(route) { first.write(to: &$0) }
        case .append(let record):
            switch record.kind {
            case .message, .edit, .reaction: try checkRoom(for: record.storageCost, of: sender.user, facts)
            // What is taken back is never refused: there are no more deletions than messages.
            case .delete: break
            }
            try append(record, to: &conversation, digest: digest, transaction, &effects)
            if record.kind == .delete {
                try transaction.removeCiphertext(of: change.message)
                noteRemoval()
            }
            let accepted = AcceptedChange(
                id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)
            effects.outgoing.accept(route) { accepted.write(to: &$0) }
        }
    }
}

/// What carries out all three.
protocol MessageChangeHandler: MessageChange, CommandHandler {}

extension MessageChangeHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.change(change, context.route, context.transaction, &effects, now: context.now)
    }
}

extension EditMessage: MessageChangeHandler {}
extension DeleteMessage: MessageChangeHandler {}
extension ReactToMessage: MessageChangeHandler {}
