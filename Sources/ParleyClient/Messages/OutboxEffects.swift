import ParleyDeviceStore
import ParleyProtocol

/// Carries out what follows from a change of the ``Outbox``.
struct OutboxEffects {
    let context: ClientContext

    func carryOut(_ effects: [Outbox.Effect]) {
        for effect in effects { carryOut(effect) }
    }

    private func carryOut(_ effect: Outbox.Effect) {
        switch effect {
        case .emit(let notice): context.hub.emit(ClientEvent(notice))
        case .wake(let id): context.waiters.wake(.outcome(id))
        case .accepted(let message, let conversation):
            context.logs.update(conversation) { $0.ownSeq = max($0.ownSeq, message.seq) }
        case .awaitRecord: context.wakeUps.fetch.signal()
        case .fetchRecord(let message, let conversation):
            context.logs.update(conversation) { $0.log.recordEnd(epoch: message.epoch, lastSeq: message.seq) }
        case .discard(let id): context.writeBestEffort { try $0.discard(id) }
        case .failed(let id, let reason): context.writeBestEffort { try $0.fail(id, reason: reason.kept) }
        case .show(let id, let conversation): context.chatMessages.emit(id, in: conversation)
        case .requestPostponed: context.reopening.reopenAll()
        }
    }
}

extension ClientContext {
    var outboxEffects: OutboxEffects { OutboxEffects(context: self) }
}
