import ParleyProtocol

/// What one conversation has for a device that was away: decides `sync/get` for one of the caller's conversations.
package struct SyncPlan: Hashable, Sendable {
    /// The log as the caller may see it.
    package struct Log: Hashable, Sendable {
        package let epoch: String
        package let lastSeq: Int
        /// They see what comes after this place.
        package let visibleFrom: Int

        package init(epoch: String, lastSeq: Int, visibleFrom: Int) {
            (self.epoch, self.lastSeq, self.visibleFrom) = (epoch, lastSeq, visibleFrom)
        }
    }

    /// So many records of a conversation that the caller does not know, and no more of a longer one.
    package static let newestOfNew = 50

    /// The records to give are those after this place.
    package let after: Int
    /// How many they are: places have no hole.
    package let missing: Int
    /// `false` where the cursor's epoch is another: nothing follows from it.
    package let isRecovered: Bool
    /// The caller's cursors did not name it.
    package let isNew: Bool

    /// Whether something of it has changed for the caller beside how far its members have come.
    package var isNews: Bool { isNew || !isRecovered }

    package init(_ log: Log, cursor: SyncRequest.Cursor?) {
        // A member who has joined an empty log, or one whose epoch is new, sees nothing of it yet.
        let first = min(log.visibleFrom, log.lastSeq)
        isNew = cursor == nil
        isRecovered = cursor.map { $0.epoch == log.epoch } ?? true
        guard isRecovered else {
            after = log.lastSeq
            missing = 0
            return
        }
        let start = cursor?.seq ?? (log.lastSeq - SyncPlan.newestOfNew)
        // A cursor beyond the end is forged: nothing comes after it. One before what the caller may see gains nothing.
        after = min(max(start, first), log.lastSeq)
        missing = log.lastSeq - after
    }
}
