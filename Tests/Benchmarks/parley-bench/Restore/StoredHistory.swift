import GatewaySite
import Platform
import ParleyProtocol
import ParleyStore

/// The messages of a ``FilledStore``, read back from a gateway and from its database.
struct StoredHistory {
    let filled: FilledStore
    let seat: Population.Seat

    init(_ filled: FilledStore) throws {
        guard let seat = filled.reader else { throw SiteError.badName }
        (self.filled, self.seat) = (filled, seat)
    }

    /// Reads every conversation to its start, as a device does.
    ///
    /// - Returns: the times of the pages, from request to reply, in nanoseconds.
    func readAll(port: UInt16, _ faults: TalkFaults, stop: StopFlag) throws -> [Int64] {
        var reader = try HistoryReader(seat, port: port)
        var times: [Int64] = []
        for (number, id) in filled.ids.enumerated() {
            if stop.isRaised { throw LoadError.interrupted }
            var records: [MessageRecord] = []
            var position = HistoryPosition.newest
            while true {
                let (page, taken) = try reader.page(
                    GetHistory(conversation: id, limit: Limits.pageItems, position: position))
                times.append(taken)
                records = page.messages + records
                guard page.summary.hasMore, let first = page.messages.first else { break }
                position = .before(.seq(first.seq))
            }
            // Messages came to all conversations by turns.
            let expected = stride(from: number, to: filled.messages, by: filled.conversations)
            let isWhole =
                records.map(\.seq).elementsEqual(1..<(expected.underestimatedCount + 1))
                && records.map { MessageNumber(parsing: Array($0.id.description.utf8), at: 0).count }
                    .elementsEqual(expected)
            if !isWhole { faults.add("\(id) is served with \(records.count) messages, or others") }
        }
        return times
    }

    /// Compares the database with a backup that was restored, and with what was sent to some conversations.
    ///
    /// - Returns: how many records are in the backup and in the database.
    func compare(
        _ database: String, backup: String, with talks: [(viewer: UserID, talk: Talk)], _ faults: TalkFaults
    ) throws -> (backup: Int, database: Int) {
        let (kept, present) = (try Store(path: backup), try Store(path: database))
        var counts = (backup: 0, database: 0)
        for id in filled.ids {
            let before = try records(of: id, seenBy: seat.address.user, kept)
            let after = try records(of: id, seenBy: seat.address.user, present)
            counts = (counts.backup + before.count, counts.database + after.count)
            if before != after { faults.add("\(id) has \(after.count) records, in the backup \(before.count)") }
        }
        if counts.backup != filled.messages { faults.add("the backup has \(counts.backup) of the stored messages") }
        for (viewer, talk) in talks {
            let before = try records(of: talk.conversation, seenBy: viewer, kept)
            let after = try records(of: talk.conversation, seenBy: viewer, present)
            counts = (counts.backup + before.count, counts.database + after.count)
            let deleted = talk.deleted
            let isKept = zip(before, after).allSatisfy { $0 == $1 || $0.id == $1.id && deleted.contains($0.id) }
            let ids = after.filter { $0.type != .known(.system) }.map(\.id)
            if !isKept || before.count > after.count || ids != talk.recordIDs {
                faults.add("\(talk.conversation) has records that were not sent, or lacks some")
            }
        }
        return counts
    }

    /// Without the epoch, which a restore renews.
    private func records(
        of id: ConversationID, seenBy viewer: UserID, _ store: Store
    ) throws -> [MessageRecord] {
        try store.read { snapshot in
            guard let state = try snapshot.conversations.conversation(id) else { return [] }
            var records: [MessageRecord] = []
            try snapshot.records.read(state, after: 0, seenBy: viewer, limit: .max) { record in
                var record = record
                record.epoch = ""
                records.append(record)
                return true
            }
            return records
        }
    }
}
