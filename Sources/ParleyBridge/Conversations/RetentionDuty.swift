import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Removes the ciphertext and the files of records that are older than their conversation keeps them. They stay in the
/// log, as disappeared ones do.
///
/// It goes through the conversations in the order of their keys once an hour, some at a time. Times of records are
/// times of day, which may be wrong: so they must be old by the steady time, too.
final class RetentionDuty: ScheduledDuty {
    struct Done {
        let next: NextPart
        /// The conversation behind which the next part begins.
        let after: ConversationKey
    }

    static let failure: Logger.Message = "what is kept no longer could not be removed"
    static let sharedWork: SharedWork? = .retention
    var schedule = DutySchedule()
    private var after = RetentionDuty.start

    /// The most conversations that are looked at in one transaction, which holds up the batch behind it.
    static let conversationsAtOnce = 128
    /// The same for records.
    static let recordsAtOnce = 64
    private static let start = ConversationKey(value: 0)
    private static let pause = Duration.milliseconds(100)
    private static let interval = Duration.seconds(3600)

    func run(in batch: Batch) throws(StoreError) -> Done {
        let retention = try batch.facts().retention
        let general = batch.environment.settings.retentionDays
        let hasOwn = try retention.hasOwn()
        guard general > 0 || hasOwn else {
            // The settings may be others by then.
            return Done(next: Self.later(batch), after: Self.start)
        }
        let conversations = try retention.conversations(
            after: after, ownAlone: general == 0, limit: Self.conversationsAtOnce)
        var (room, through) = (Self.recordsAtOnce, after)
        for conversation in conversations {
            room -= try remove(from: conversation, general: general, room, batch)
            // It may have more: the next part begins with it.
            guard room > 0 else { return Done(next: NextPart(dueAt: batch.steady, pause: Self.pause), after: through) }
            through = conversation.key
        }
        guard conversations.count == Self.conversationsAtOnce else {
            return Done(next: Self.later(batch), after: Self.start)
        }
        return Done(next: NextPart(dueAt: batch.steady, pause: Self.pause), after: through)
    }

    private static func later(_ batch: Batch) -> NextPart {
        NextPart(dueAt: batch.steady.advanced(by: interval), pause: pause)
    }

    /// From the first conversation on: it may be the one whose time has changed.
    func wake(_ time: Timestamp) {
        after = Self.start
        schedule.wake(at: time)
    }

    func recordCommitted(_ done: Done, at moment: Moment) {
        after = done.after
        schedule.recordCommitted(done.next, at: moment.steady)
    }

    /// - Returns: how many records were looked at.
    private func remove(
        from conversation: RetainedConversation, general: Int, _ limit: Int, _ batch: Batch
    ) throws(StoreError) -> Int {
        let days = RetentionRule.days(own: conversation.days, general: general)
        guard let end = RetentionRule.end(ofDays: days, now: min(batch.now, batch.steady)) else { return 0 }
        let transaction = try batch.writable()
        let records = try transaction.read {
            try $0.retention.records(
                of: conversation.key, after: conversation.removedThrough, before: end, limit: limit)
        }
        guard let last = records.last else { return 0 }
        try batch.removeCiphertext(at: records.filter(\.hasCiphertext).map(\.position))
        var files = 0
        for record in records {
            files += try transaction.blobs.discard(seq: record.seq, in: conversation.key, at: batch.steady)
        }
        if files > 0 { batch.afterCommit.wake(BlobRemovalDuty.self, at: batch.steady) }
        try transaction.retention.setRemoved(through: last.seq, of: conversation.key)
        return records.count
    }
}
