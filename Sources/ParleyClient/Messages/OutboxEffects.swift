import ParleyDeviceStore
import ParleyProtocol

struct OutboxEffects {
    let logs: ConversationLogs, waiters: Waiters, disk: StoreAccess, hub: EventHub
    let chatMessages: ChatMessages, reopening: Reopening, fetchSignal: WakeSignal

    func carryOut(_ effects: [Outbox.Effect]) {
        for effect in effects { carryOut(effect) }
    }

    private func carryOut(_ effect: Outbox.Effect) {
        switch effect {
        case .emit(let notice): hub.emit(ClientEvent(notice))
        case .wake(let id): waiters.wake(.outcome(id))
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
}
