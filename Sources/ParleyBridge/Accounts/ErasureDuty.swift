import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Erases the content of departed users, some at a time: files, what operators were told, and the ciphertext of their
/// records, which stay in others' conversations as disappeared ones do. It continues after a restart.
///
/// Records have no index by sender, which each message would pay for: all are looked at, in the order of positions.
final class ErasureDuty: ScheduledDuty {
    static let failure: Logger.Message = "what a departed user has written could not be erased"
    static let sharedWork: SharedWork? = .erasures
    var schedule = DutySchedule()

    /// The most files, and records that lose their ciphertext, in one transaction, which holds up the batch behind it.
    static let atOnce = 64
    /// The most records that are looked at in one.
    static let lookedAtAtOnce = 4096
    private static let pause = Duration.milliseconds(100)

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        guard let erasure = try batch.facts().erasures.next() else { return NextPart(dueAt: nil, pause: .zero) }
        let transaction = try batch.writable()
        let files = try transaction.blobs.discardAll(of: erasure.user, at: batch.steady, limit: Self.atOnce)
        if files > 0 {
            batch.afterCommit.wake(BlobRemovalDuty.self, at: batch.steady)
        } else {
            try eraseRecords(erasure, batch, transaction)
        }
        return NextPart(dueAt: batch.steady, pause: Self.pause)
    }

    private func eraseRecords(
        _ erasure: Erasure, _ batch: Batch, _ transaction: WriteTransaction
    ) throws(StoreError) {
        let (records, user) = (transaction.facts.records, erasure.user)
        guard let end = try records.end(ofRecordsAfter: erasure.through, limit: Self.lookedAtAtOnce) else {
            try transaction.erasures.eraseReports(of: user)
            return try transaction.erasures.finish(user)
        }
        let found = try records.sent(by: user, after: erasure.through, through: end, limit: Self.atOnce)
        try batch.removeCiphertext(at: found)
        let through = found.count < Self.atOnce ? end : found.last ?? end
        try transaction.erasures.setLooked(Erasure(user: user, through: through))
    }
}

extension Batch {
    /// Removes the ciphertext of records, and clears the displayed notifications of them.
    func removeCiphertext(at positions: [StreamPosition]) throws(StoreError) {
        guard !positions.isEmpty else { return }
        let transaction = try writable()
        if environment.push.mayDisplayAny {
            let displayed = try transaction.facts.records.displayed(at: positions, environment.push.mayDisplay)
            try clearDisplayed(displayed)
        }
        try transaction.records.removeCiphertext(at: positions)
        afterCommit.hasRemovedCiphertext = true
    }

    /// Clears the displayed notifications of messages that are removed by this transaction.
    func clearDisplayed(_ displayed: [(conversation: ConversationKey, seq: Int)]) throws(StoreError) {
        guard !displayed.isEmpty else { return }
        let transaction = try writable()
        let position = try transaction.facts.outbox.lastPosition()
        try transaction.pushEvents.insert(
            displayed.map { one in
                PushEvent(
                    position: position, subject: .removal(one.conversation, seq: one.seq), createdAt: now,
                    steadyAt: steady)
            })
        afterCommit.push.hasEvent = true
    }
}
