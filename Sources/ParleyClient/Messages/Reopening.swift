import ParleyDeviceStore
import ParleyProtocol

/// Opens messages that could not be opened when they came, and emits them again.
struct Reopening {
    let context: ClientContext

    /// What could not be opened in an earlier life of this client is tried with the keys that are accepted now.
    func load() throws(ClientError) {
        for entry in Array(context.logs.all) {
            guard let epoch = entry.log.epoch else { continue }
            let id = entry.id
            let sealed = try context.read { facts in
                try (entry.unopened.seqs + entry.unopenedChanges.seqs).compactMap { seq -> KeptMessage? in
                    let found = try facts.messages(in: id, epoch: epoch, .before(seq + 1), limit: 1, .everything).first
                    guard let kept = KeptMessage(found), kept.record.seq == seq, kept.isSealed else { return nil }
                    return kept
                }
            }
            let changes = sealed.filter(\.record.isChange)
            context.logs.update(id) { $0.unopenedChanges = UnopenedPlaces(seqs: changes.map(\.record.seq)) }
            context.logs.recordUnopened(sealed)
        }
        reopenAll()
    }

    func reopenAll() {
        for user in context.logs.unopenedSenders { reopen(of: user) }
    }

    /// More is known of a user's keys: what could not be opened for want of them is tried again.
    func reopen(of user: UserID) {
        for entry in context.logs.removeUnopened(of: user, own: context.device) {
            guard let conversation = context.logs[entry.conversation] else { continue }
            do throws(DeviceStoreError) {
                try reopen(entry, in: conversation)
            } catch {
                context.logs.recordUnopened(entry)
                context.hub.emit(.storageFailed(error))
            }
        }
    }

    private func reopen(
        _ entry: UnopenedMessages.Entry, in conversation: FollowedConversation
    ) throws(DeviceStoreError) {
        let user = context.device.user
        let found = try context.store.read { try $0.message(entry.id, in: entry.conversation) }
        guard case .whole(let stored)? = found, let kept = KeptMessage(stored) else { return }
        let message = context.opened(kept)
        guard !message.isSealed else {
            context.logs.recordUnopened(entry)
            let resends = try context.store.write {
                try context.resending.resends(because: [message], in: conversation, $0)
            }
            return context.resending.start(resends)
        }
        let (target, resends) = try context.store.write { transaction in
            try transaction.replace(message.stored(for: user, as: stored.place.id))
            let resends = try context.resending.resends(because: [message], in: conversation, transaction)
            return (message.record.isChange ? try transaction.apply(message, for: user) : nil, resends)
        }
        context.resending.start(resends)
        let shown = context.chatMessages.message(message)
        context.hub.emit(message.record.isChange ? .change(shown) : .message(shown))
        if let target { context.hub.emit(.message(context.chatMessages.message(target))) }
    }
}

extension ClientContext {
    var reopening: Reopening { Reopening(context: self) }
}
