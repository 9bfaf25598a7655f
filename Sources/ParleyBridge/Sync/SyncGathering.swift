import ParleyProtocol
import ParleyRules
import ParleyStore

/// Gathers the conversations of a page of `sync/get`, within limits of records, bytes and counted messages; at least
/// one.
struct SyncGathering {
    private let user: UserID
    private let snapshot: Snapshot
    /// The records that there is room for.
    private var recordsLeft: Int
    /// The unread messages that may still be counted.
    private var countsLeft = PageBudget.unreadCounts
    private var entries = PageBuilder<ConversationID>(limit: .max)

    init(user: UserID, snapshot: Snapshot, limit: Int) {
        self.user = user
        self.snapshot = snapshot
        recordsLeft = limit
    }

    /// The elements of the page's array, comma between them.
    var json: [UInt8] { entries.json }

    /// Adds a conversation with its missing records, as far as there is room.
    ///
    /// - Returns: whether all of them went in.
    mutating func add(_ candidate: SyncCandidate, _ plan: SyncPlan) throws -> Bool {
        guard plan.missing == 0 || recordsLeft > 0, countsLeft > 0 else { return false }
        var entry = SyncedConversation(
            id: candidate.id, isRecovered: plan.isRecovered, epoch: candidate.log.epoch,
            lastSeq: candidate.log.lastSeq, records: .values([]),
            watermarks: try snapshot.receipts.watermarks(in: candidate.key, for: user),
            unreadCount: try snapshot.unread.count(of: user, in: candidate.key), preferences: candidate.preferences,
            conversation: plan.isNew ? try snapshot.conversations.object(candidate.key, seenBy: user) : nil)
        countsLeft -= entry.unreadCount
        let envelope = entry.json
        // Of an empty page the first conversation and its first record always go in.
        let room = entries.room - envelope.count
        guard room >= 0 || entries.isEmpty else { return false }
        guard plan.missing > 0 else { return entries.append(candidate.id) { $0.raw(envelope) } }
        let records = try records(of: candidate, plan, within: room)
        guard !records.isEmpty else { return false }
        entry.records = .json(records.json)
        guard entries.append(candidate.id, entry.write) else { return false }
        recordsLeft -= records.count
        return records.count == plan.missing
    }

    /// The first missing records, as far as there is room.
    private func records(
        of candidate: SyncCandidate, _ plan: SyncPlan, within room: Int
    ) throws -> PageBuilder<Int> {
        let least = try snapshot.receipts.leastWatermark(besides: user, in: candidate.key)
        var records = PageBuilder<Int>(limit: recordsLeft, byteLimit: room, takesLarge: entries.isEmpty)
        try snapshot.sync.records(of: candidate, after: plan.after, seenBy: user) { record in
            let status = ReceiptRule.status(of: record, for: user, least)
            return records.append(record.seq) { record.write(to: &$0, status: status) } && !records.isFull
        }
        return records
    }
}
