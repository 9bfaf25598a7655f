import ParleyDeviceStore
import ParleyProtocol

struct OutboxEffects {
    let logs: ConversationLogs, waiters: Waiters, disk: StoreAccess, hub: EventHub
    let chatMessages: ChatMessages, reopening: Reopening, fetchSignal: WakeSignal
    let outbox: Outbox, uploads: Uploads, files: SealedFiles

    func carryOut(_ effects: [Outbox.Effect]) {
        for effect in effects { carryOut(effect) }
    }

    private func carryOut(_ effect: Outbox.Effect) {
        switch effect {
        case .emit(let notice): hub.emit(ClientEvent(notice))
        case .wake(let id):
            settleUpload(of: id)
            waiters.wake(.outcome(id))
        case .accepted(let message, let conversation):
            logs.update(conversation) { $0.ownSeq = max($0.ownSeq, message.seq) }
        case .awaitRecord: fetchSignal.signal()
        case .fetchRecord(let message, let conversation):
            logs.update(conversation) { $0.log.recordEnd(epoch: message.epoch, lastSeq: message.seq) }
        case .discard(let id): disk.writeBestEffort { try $0.discard(id) }
        case .failed(let id, let reason): disk.writeBestEffort { try $0.fail(id, reason: reason.kept) }
        case .show(let id, let conversation): chatMessages.emit(id, in: conversation)
        case .resumePostponedRequests: reopening.reopenAll()
        }
    }

    /// The sealed file of a sent message is kept for this user, too. That of a failed one stays for another attempt.
    private func settleUpload(of id: MessageID) {
        guard let outcome = outbox.outcome(of: id), let job = uploads.remove(id) else { return }
        guard case .success = outcome else { return }
        disk.writeBestEffort { try $0.removeUpload(of: id) }
        // If it fails, as on a full disk, the file is fetched again, and swept later.
        try? files.keep(job)
    }
}
