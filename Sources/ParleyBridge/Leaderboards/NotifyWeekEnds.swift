import ParleyProtocol
import ParleyRules
import ParleyStore

// A week ends for all groups of a time zone at once, and all their members are notified. Boards do not wait for that:
// an ended week is stored, and its members are notified in parts when no rollover is due.

extension BoardDuty {
    /// The most groups whose members are notified in one transaction.
    private static let notifiedAtOnce = 4

    /// Notifies the members of some groups that their week has ended.
    ///
    /// - Returns: the number of members.
    func notifyEnds(_ batch: Batch) throws(StoreError) -> Int {
        guard clock.isNotificationDue(steady: batch.steady) else { return 0 }
        var count = 0
        for ended in try batch.facts().boardWeeks.ended(limit: BoardDuty.notifiedAtOnce) {
            try batch.writable().boardWeeks.removeEnded(ended.week, of: ended.group)
            // Where the clock was set back meanwhile, it is yet to end.
            guard ended.endedAt <= batch.now else { continue }
            let notification = NewNotification.weekEnded(ended.week.description, in: ended.id)
            for member in try batch.facts().boards.members(of: ended.group) where member.joinedAt < ended.endedAt {
                batch.feed.notify(member.user, notification)
                count += 1
            }
        }
        return count
    }
}
