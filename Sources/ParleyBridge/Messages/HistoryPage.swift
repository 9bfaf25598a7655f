import ParleyProtocol
import ParleyRules
import ParleyStore

/// A page of what a member may see of a log, its messages already JSON: at most so many records and so many bytes, and
/// always one. What was written before he may see it is as if it were not there.
package struct HistoryPage {
    package let messages: [UInt8]
    package let summary: HistorySummary

    /// Records on their way into a page, read towards one end of the log.
    private struct Gathering {
        var parts: [(seq: Int, json: [UInt8])] = []
        var bytes = 0
        /// Whether the page was full before the log ended.
        var isCut = false

        mutating func add(_ record: MessageRecord, limit: Int, byteLimit: Int, status: MessageStatus?) -> Bool {
            guard parts.count < limit else {
                isCut = true
                return false
            }
            var writer = JSONWriter()
            record.write(to: &writer, status: status)
            guard parts.isEmpty || bytes + writer.count + 1 <= byteLimit else {
                isCut = true
                return false
            }
            bytes += writer.count + 1
            parts.append((record.seq, writer.finish()))
            return true
        }

        /// Drops the records farthest from where the reading began, down to so many bytes, but not below `least` records.
        mutating func trim(toBytes byteLimit: Int, least: Int) {
            while bytes > byteLimit, parts.count > least, let last = parts.popLast() {
                bytes -= last.json.count + 1
                isCut = true
            }
        }
    }

    /// Reads the page that `request` asks for.
    package static func read(_ request: GetHistory, for user: UserID, _ snapshot: Snapshot) throws -> HistoryPage {
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
        /// The user sees what comes after this place …
        private let floor: Int
        /// … up to here.
        private let lastSeq: Int

        init(conversation: ConversationState, user: UserID, snapshot: Snapshot) throws {
            self.conversation = conversation
            self.user = user
            self.snapshot = snapshot
            least = try snapshot.leastWatermark(besides: user, in: conversation.key)
            floor = conversation.facts.member(user)?.visibleFrom ?? conversation.facts.lastSeq
            lastSeq = conversation.facts.end(seenBy: user).lastSeq
        }

        func seq(_ point: RecordPoint) throws -> Int {
            switch point {
            case .seq(let seq): return seq
            case .id(let id):
                guard let seq = try snapshot.place(of: id)?.seq(in: conversation.facts, visibleTo: user) else {
                    throw Rejection.messageNotFound
                }
                return seq
            }
        }

        func page(before seq: Int, limit: Int) throws -> HistoryPage {
            let older = try gather(before: seq, limit: limit, byteLimit: Limits.pageBytes)
            return finish(older: older, newer: Gathering(), foundOldest: !older.isCut, foundNewest: nil)
        }

        func page(after seq: Int, limit: Int) throws -> HistoryPage {
            let newer = try gather(after: seq, limit: limit, byteLimit: Limits.pageBytes)
            return finish(older: Gathering(), newer: newer, foundOldest: nil, foundNewest: !newer.isCut)
        }

        /// Half of the page lies before the point, the rest from it on; what one side does not need the other has, of
        /// records as of bytes. The record at the point is always there.
        func page(around seq: Int, limit: Int) throws -> HistoryPage {
            let from = max(floor, seq - 1)
            let available = max(0, lastSeq - from)
            let limitBefore = limit - min(limit - limit / 2, available)
            var older = try gather(before: seq, limit: limitBefore, byteLimit: Limits.pageBytes)
            var newer = try gather(after: from, limit: limit - older.parts.count, byteLimit: Limits.pageBytes)
            newer.trim(toBytes: max(Limits.pageBytes / 2, Limits.pageBytes - older.bytes), least: 1)
            older.trim(toBytes: Limits.pageBytes - newer.bytes, least: newer.parts.isEmpty ? 1 : 0)
            return finish(older: older, newer: newer, foundOldest: !older.isCut, foundNewest: !newer.isCut)
        }

        private func gather(before seq: Int, limit: Int, byteLimit: Int) throws -> Gathering {
            var gathering = Gathering()
            try snapshot.records(conversation, before: seq, after: floor, seenBy: user, limit: limit + 1) { record in
                gathering.add(record, limit: limit, byteLimit: byteLimit, status: status(record))
            }
            return gathering
        }

        private func gather(after seq: Int, limit: Int, byteLimit: Int) throws -> Gathering {
            var gathering = Gathering()
            try snapshot.records(conversation, after: max(seq, floor), seenBy: user, limit: limit + 1) { record in
                gathering.add(record, limit: limit, byteLimit: byteLimit, status: status(record))
            }
            return gathering
        }

        private func status(_ record: MessageRecord) -> MessageStatus? {
            AdvanceWatermark.status(of: record, for: user, least)
        }

        /// - Parameters:
        ///   - foundOldest: whether the log ended on the older side; `nil` when paging to the newer.
        ///   - foundNewest: whether it ended on the newer side; `nil` when paging to the older.
        private func finish(
            older: Gathering, newer: Gathering, foundOldest: Bool?, foundNewest: Bool?
        ) -> HistoryPage {
            let parts = older.parts.reversed() + newer.parts
            let isEmpty = lastSeq <= floor
            var messages: [UInt8] = []
            messages.reserveCapacity(older.bytes + newer.bytes)
            for (index, part) in parts.enumerated() {
                if index > 0 { messages.append(UInt8(ascii: ",")) }
                messages += part.json
            }
            let goesBack = foundOldest != nil
            let hasMore = !(foundOldest ?? foundNewest ?? true)
            let cursor = goesBack ? parts.first?.seq : parts.last?.seq
            return HistoryPage(
                messages: messages,
                summary: HistorySummary(
                    hasMore: hasMore, nextCursor: hasMore ? cursor : nil, epoch: conversation.facts.epoch,
                    lastSeq: lastSeq, foundOldest: foundOldest ?? (isEmpty || parts.first?.seq == floor + 1),
                    foundNewest: foundNewest ?? (isEmpty || parts.last?.seq == lastSeq)))
        }
    }
}

extension GetHistory: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let page = try HistoryPage.read(self, for: context.caller.user, context.snapshot)
        outgoing.accept(context.route) { page.summary.write(messages: page.messages, to: &$0) }
    }
}
