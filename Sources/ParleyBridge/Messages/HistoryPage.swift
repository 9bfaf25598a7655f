import ParleyProtocol
import ParleyRules
import ParleyStore

/// A page of what a member may see of a log, its messages already JSON: at most so many records and so many bytes, and
/// always one. Records that the member may not see are left out as if there were none.
package enum HistoryPage {
    package static func read(_ request: GetHistory, for user: UserID, _ snapshot: Snapshot) throws -> HistoryReply {
        let conversation = try snapshot.visibleConversation(request.conversation, to: user)
        let source = try Source(conversation: conversation, user: user, snapshot: snapshot)
        switch request.position {
        case .newest:
            return try source.page(before: Int.max, limit: request.limit)
        case .before(let point):
            return try source.page(before: try source.seq(point), limit: request.limit)
        case .after(let point):
            return try source.page(after: source.seq(point), limit: request.limit)
        case .around(let point):
            return try source.page(around: source.seq(point), limit: request.limit)
        }
    }

    private struct Source {
        let conversation: ConversationState
        let user: UserID
        let snapshot: Snapshot
        private let least: (delivered: Int, read: Int)
        /// The user sees records after this seq …
        private let floor: Int
        /// … up to here.
        private let lastSeq: Int

        init(conversation: ConversationState, user: UserID, snapshot: Snapshot) throws {
            self.conversation = conversation
            self.user = user
            self.snapshot = snapshot
            least = try snapshot.receipts.leastWatermark(besides: user, in: conversation.key)
            floor = conversation.facts.member(user)?.visibleFrom ?? conversation.facts.lastSeq
            lastSeq = conversation.facts.end(seenBy: user).lastSeq
        }

        func seq(_ point: RecordPoint) throws -> Int {
            switch point {
            case .seq(let seq): return seq
            case .id(let id):
                guard let seq = try snapshot.records.location(of: id)?.seq(in: conversation.facts, visibleTo: user)
                else {
                    throw Rejection.messageNotFound
                }
                return seq
            }
        }

        func page(before seq: Int, limit: Int) throws -> HistoryReply {
            let older = try gather(before: seq, limit: limit)
            return finish(older: older, newer: PageBuilder(limit: 0), foundOldest: !older.isCut, foundNewest: nil)
        }

        func page(after seq: Int, limit: Int) throws -> HistoryReply {
            let newer = try gather(after: seq, limit: limit)
            return finish(older: PageBuilder(limit: 0), newer: newer, foundOldest: nil, foundNewest: !newer.isCut)
        }

        /// Half of the page lies before the point, the rest from it on; what one side does not need the other has, of
        /// records as of bytes. The record at the point is always there.
        func page(around seq: Int, limit: Int) throws -> HistoryReply {
            let from = max(floor, seq - 1)
            let available = max(0, lastSeq - from)
            let limitBefore = limit - min(limit - limit / 2, available)
            var older = try gather(before: seq, limit: limitBefore)
            var newer = try gather(after: from, limit: limit - older.count)
            newer.trim(toBytes: max(Limits.pageBytes / 2, Limits.pageBytes - older.bytes), least: 1)
            older.trim(toBytes: Limits.pageBytes - newer.bytes, least: newer.isEmpty ? 1 : 0)
            return finish(older: older, newer: newer, foundOldest: !older.isCut, foundNewest: !newer.isCut)
        }

        /// Records from the newest to the oldest, each at its seq.
        private func gather(before seq: Int, limit: Int) throws -> PageBuilder<Int> {
            var page = PageBuilder<Int>(limit: limit)
            try snapshot.records.read(conversation, before: seq, after: floor, seenBy: user, limit: limit + 1) {
                record in
                page.append(record.seq) { record.write(to: &$0, status: status(record)) }
            }
            return page
        }

        /// Records from the oldest to the newest, each at its seq.
        private func gather(after seq: Int, limit: Int) throws -> PageBuilder<Int> {
            var page = PageBuilder<Int>(limit: limit)
            try snapshot.records.read(conversation, after: max(seq, floor), seenBy: user, limit: limit + 1) { record in
                page.append(record.seq) { record.write(to: &$0, status: status(record)) }
            }
            return page
        }

        private func status(_ record: MessageRecord) -> MessageStatus? {
            ReceiptRule.status(of: record, for: user, least)
        }

        /// - Parameters:
        ///   - foundOldest: whether the log ended on the older side; `nil` when paging to the newer.
        ///   - foundNewest: whether it ended on the newer side; `nil` when paging to the older.
        private func finish(
            older: PageBuilder<Int>, newer: PageBuilder<Int>, foundOldest: Bool?, foundNewest: Bool?
        ) -> HistoryReply {
            let items = older.items.reversed() + newer.items
            let isEmpty = lastSeq <= floor
            let goesBack = foundOldest != nil
            let hasMore = !(foundOldest ?? foundNewest ?? true)
            let cursor = goesBack ? items.first?.position : items.last?.position
            return HistoryReply(
                .json(PageBuilder.json(of: items)),
                summary: HistorySummary(
                    hasMore: hasMore, nextCursor: hasMore ? cursor : nil, epoch: conversation.facts.epoch,
                    lastSeq: lastSeq, foundOldest: foundOldest ?? (isEmpty || items.first?.position == floor + 1),
                    foundNewest: foundNewest ?? (isEmpty || items.last?.position == lastSeq)))
        }
    }
}

extension GetHistory: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        try HistoryPage.read(self, for: context.caller.user, context.snapshot).write
    }
}
