import ParleyDeviceStore
import ParleyProtocol

/// Opens messages later that could not be opened when they came, and emits them.
struct Reopening {
    let logs: ConversationLogs, device: DeviceAddress, disk: StoreAccess, hub: EventHub
    let chatMessages: ChatMessages, resending: ResendExchange

    /// Tries the unopened messages of earlier clients with the keys that are accepted now.
    func load() throws(ClientError) {
        for entry in Array(logs.all) {
            guard let epoch = entry.log.epoch else { continue }
            let id = entry.id
            let sealed = try disk.read { facts in
                try (entry.unopened.seqs + entry.unopenedChanges.seqs).compactMap { seq -> KeptMessage? in
                    let kept = KeptMessage(try facts.message(at: seq, of: epoch, in: id))
                    return kept?.isSealed == true ? kept : nil
                }
            }
            let changes = sealed.filter(\.record.isChange)
            logs.update(id) { $0.unopenedChanges = UnopenedSeqs(seqs: changes.map(\.record.seq)) }
            logs.unopened.record(sealed)
        }
        reopenAll()
    }

    func reopenAll() {
        for user in logs.unopened.senders { reopen(of: user) }
    }

    /// Tries unopened messages again, after a change of a user's keys.
    func reopen(of user: UserID) {
        for entry in logs.unopened.remove(of: user, own: device) {
            guard let conversation = logs[entry.conversation] else { continue }
            do throws(DeviceStoreError) {
                try reopen(entry, in: conversation)
            } catch {
                logs.unopened.record(entry)
                hub.emit(.storageFailed(error))
            }
        }
    }

    private func reopen(
        _ entry: UnopenedMessages.Entry, in conversation: FollowedConversation
    ) throws(DeviceStoreError) {
        let user = device.user
        let found = try disk.store.read { try $0.message(entry.id, in: entry.conversation) }
        guard case .whole(let stored)? = found, let kept = KeptMessage(stored) else { return }
        let message = chatMessages.opened(kept)
        guard !message.isSealed else {
            logs.unopened.record(entry)
            let resends = try disk.store.write { try resending.resends(because: [message], in: conversation, $0) }
            return resending.start(resends)
        }
        let (target, resends) = try disk.store.write { transaction in
            try transaction.replace(message.stored(for: user, as: stored.position.id))
            let resends = try resending.resends(because: [message], in: conversation, transaction)
            return (message.record.isChange ? try transaction.apply(message, for: user) : nil, resends)
        }
        resending.start(resends)
        let shown = chatMessages.message(message)
        hub.emit(message.record.isChange ? .change(shown) : .messageChanged(shown))
        if let target { hub.emit(.messageChanged(chatMessages.message(target))) }
    }
}
