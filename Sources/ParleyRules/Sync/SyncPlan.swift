import ParleyProtocol

/// Decides `sync/get` for one of the caller's conversations.
package struct SyncPlan: Hashable, Sendable {
    /// The log as the caller may see it.
    package struct Log: Hashable, Sendable {
        package let epoch: String
        package let lastSeq: Int
        /// They see the records after this seq.
        package let visibleFrom: Int

        package init(epoch: String, lastSeq: Int, visibleFrom: Int) {
            (self.epoch, self.lastSeq, self.visibleFrom) = (epoch, lastSeq, visibleFrom)
        }
    }

    /// The most records of a conversation that the caller's cursors do not name.
    package static let newestOfNew = 50

    /// The missing records are those after this seq.
    package let after: Int
    /// How many they are: seqs have no gaps.
    package let missing: Int
    /// `false` where the cursor has another epoch.
    package let isRecovered: Bool
    /// The caller's cursors do not name it.
    package let isNew: Bool

    /// Whether it has changed for the caller by more than records.
    package var isNews: Bool { isNew || !isRecovered }

    package init(_ log: Log, cursor: SyncRequest.Cursor?) {
        // A member may have joined after the end of the log.
        let first = min(log.visibleFrom, log.lastSeq)
        isNew = cursor == nil
        isRecovered = cursor.map { $0.epoch == log.epoch } ?? true
        guard isRecovered else {
            after = log.lastSeq
            missing = 0
            return
        }
        let start = cursor?.seq ?? (log.lastSeq - SyncPlan.newestOfNew)
        // A cursor after the end is forged and gets nothing; one before the visible records gains nothing.
        after = min(max(start, first), log.lastSeq)
        missing = log.lastSeq - after
    }
}
