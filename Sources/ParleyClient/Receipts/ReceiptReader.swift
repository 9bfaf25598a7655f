import ParleyDeviceStore
import ParleyProtocol

/// Merges the marks of members, and emits status changes of the user's messages.
struct ReceiptReader {
    let logs: ConversationLogs, device: DeviceAddress, disk: StoreAccess, hub: EventHub
    let conversationUpdates: ConversationUpdates

    /// Handles a member's watermark. The user's own comes from another of their devices.
    func handle(_ watermark: Watermark) {
        let id = watermark.conversation
        guard let old = logs[id], ConversationLog<MessageRecord>.seqs.contains(watermark.seq) else { return }
        hub.emit(.receipt(watermark))
        guard watermark.user != device.user else {
            logs.update(id) { $0.userDeliveredSeq = max(old.userDeliveredSeq, watermark.seq) }
            if watermark.kind == .read, watermark.seq > old.unread.readSeq {
                conversationUpdates.markRead(id, upTo: watermark.seq)
            }
            return
        }
        logs.update(id) { $0.reached.advance(watermark) }
        emitStatuses(of: id, since: old)
    }

    /// Merges statuses of the user's messages from history.
    func handle(_ records: [MessageRecord], of id: ConversationID) {
        guard let old = logs[id] else { return }
        for record in records where record.sender.user == device.user {
            guard let status = record.status?.value, ConversationLog<MessageRecord>.seqs.contains(record.seq) else {
                continue
            }
            logs.update(id) { $0.reached.merge(status, at: record.seq) }
        }
        emitStatuses(of: id, since: old)
    }

    /// Emits the statuses that have changed since an older state.
    func emitStatuses(of id: ConversationID, since old: FollowedConversation) {
        guard let new = logs[id], let epoch = new.log.epoch else { return }
        let others = new.members.filter { $0 != device.user }
        let (before, after) = (old.reached.least(of: others), new.reached.least(of: others))
        guard before != after else { return }
        conversationUpdates.save(id)
        emit(.delivered, of: id, epoch, from: max(before.delivered, after.read), to: after.delivered)
        emit(.read, of: id, epoch, from: before.read, to: after.read)
    }

    /// - Parameter from: the seq after which it is new. At most a page of the last messages is reported.
    private func emit(_ status: ChatMessage.Status, of id: ConversationID, _ epoch: String, from: Int, to: Int) {
        guard to > from else { return }
        let found = try? disk.read { snapshot in
            try snapshot.messages(in: id, epoch: epoch, before: to + 1, limit: min(to - from, Limits.pageItems))
        }
        for case .whole(let stored) in found ?? [] where stored.position.seq > from {
            guard let kept = KeptMessage(stored), kept.record.sender.user == device.user else { continue }
            hub.emit(.status(kept.record.id, in: id, status))
        }
    }
}
