import ParleyDeviceStore
import ParleyProtocol

/// Pages through a conversation in both directions: from the store, and from the gateway beyond it.
struct HistoryReader {
    let logs: ConversationLogs, progress: ConnectionProgress, waiters: Waiters
    let device: DeviceAddress, gateway: GatewayAccess, disk: StoreAccess
    let chatMessages: ChatMessages, delivery: RecordDelivery, earlierPages: EarlierPages, expiry: ExpiryTimer
    let following: Following

    /// The most successive pages with changes only.
    private static let mostEmptyPages = 1000

    /// - Parameter limit: 1 to 200.
    nonisolated(nonsending) func slice(
        of conversation: ConversationID, at position: HistoryPosition, limit: Int,
        _ contents: PageContents
    ) async throws(ClientError) -> HistorySlice {
        try await awaitSettled(conversation)
        expiry.removeExpired()
        guard let found = try chapterPosition(of: position, in: conversation),
            covers(found, from: found.seq + position.firstAfter, of: conversation)
        else {
            guard logs[conversation]?.log.held != nil else { return try waiting(in: conversation) }
            return try await sliceApart(position, limit, conversation, contents)
        }
        try await earlierPages.extendDown(conversation, wanting: position.before(limit), before: found, contents)
        // Fetched records may have moved the message.
        let anchor = position.anchor(at: try chapterPosition(of: position, in: conversation) ?? found)
        let (kept, isFirst, isLast) = try disk.read { snapshot in
            let kept = try snapshot.messages(in: conversation, anchor, limit: limit, contents)
            let first = kept.first?.chapterPosition ?? found
            let last = kept.last?.chapterPosition ?? ChapterPosition(chapter: found.chapter, seq: found.seq - 1)
            return (
                kept, try snapshot.messages(in: conversation, .before(first), limit: 1, contents).isEmpty,
                try snapshot.messages(in: conversation, .after(last), limit: 1, contents).isEmpty
            )
        }
        let messages = try await repaired(kept, of: conversation)
        return HistorySlice(
            messages: messages + (isLast ? try chatMessages.waitingMessages(in: conversation) : []),
            reachedStart: isFirst && logs[conversation]?.holdsStart == true, reachedEnd: isLast && progress.isConnected)
    }

    /// Nothing is stored, and nothing could be fetched.
    private func waiting(in conversation: ConversationID) throws(ClientError) -> HistorySlice {
        HistorySlice(
            messages: try chatMessages.waitingMessages(in: conversation), reachedStart: false,
            reachedEnd: progress.isConnected)
    }

    // MARK: Where

    /// The position that a page is relative to; `nil` for a message that is not stored.
    private func chapterPosition(
        of position: HistoryPosition, in conversation: ConversationID
    ) throws(ClientError) -> ChapterPosition? {
        let seqs = ConversationLog<MessageRecord>.seqs
        switch position {
        case .newest: return ChapterPosition(chapter: .max, seq: seqs.upperBound)
        case .before(.id(let id)), .after(.id(let id)), .around(.id(let id)):
            return try disk.read { try $0.message(id, in: conversation)?.chapterPosition }
        case .before(.seq(let seq)), .after(.seq(let seq)), .around(.seq(let seq)):
            guard let entry = logs[conversation], let epoch = entry.log.epoch else { return nil }
            let seq = min(max(seq, 0), seqs.upperBound)
            return try disk.read { snapshot in
                ChapterPosition(
                    chapter: try snapshot.chapter(of: seq, epoch: epoch, in: conversation) ?? entry.chapter, seq: seq)
            }
        }
    }

    /// Whether the store covers a position: from the held range on; before it, the records of earlier epochs, of which
    /// the gateway has no others.
    ///
    /// - Parameter first: the first wanted sequence number.
    private func covers(_ position: ChapterPosition, from first: Int, of conversation: ConversationID) -> Bool {
        guard let entry = logs[conversation] else { return false }
        guard let held = entry.log.held, let epoch = entry.log.epoch else {
            return (try? disk.read { try $0.lastChapter(of: conversation) }) ?? nil != nil
        }
        guard first < held.lowerBound else { return true }
        return (try? disk.read { try $0.isOver(position, in: conversation, epoch: epoch) }) ?? false
    }

    /// Waits for new records, if there is a connection.
    private nonisolated(nonsending) func awaitSettled(_ id: ConversationID) async throws(ClientError) {
        guard progress.end == nil, !isDisconnected else { return }
        if logs[id]?.isFollowed != true, logs[id]?.isMember != false, logs[id]?.isOpen != false {
            try await following.follow(id)
        }
        do throws(ClientError) {
            try await waiters.wait(for: .settled(id), until: .now + .seconds(10)) { () throws(ClientError) -> Void? in
                let isSettled = !progress.needsList && logs[id]?.isSettled != false
                return isSettled || isDisconnected ? () : nil
            }
        } catch {
            // The stored messages are shown meanwhile.
            guard case .timedOut = error else { throw error }
        }
    }

    /// Whether there is no connection, for a known reason.
    private var isDisconnected: Bool { progress.cause != nil }

    // MARK: What lies apart

    /// Shows a page apart from the stored range, without storing it. Changes that are neither on the page nor stored
    /// are not applied.
    private nonisolated(nonsending) func sliceApart(
        _ start: HistoryPosition, _ limit: Int, _ id: ConversationID, _ contents: PageContents
    ) async throws(ClientError) -> HistorySlice {
        var position = start
        for _ in 0..<HistoryReader.mostEmptyPages {
            let (slice, further) = try await pageApart(position, limit, id, contents)
            if let slice { return slice }
            position = further
        }
        throw gateway.report(.endless)
    }

    /// - Returns: no slice for a page without wanted records, and where to continue.
    private nonisolated(nonsending) func pageApart(
        _ position: HistoryPosition, _ limit: Int, _ id: ConversationID, _ contents: PageContents
    ) async throws(ClientError) -> (HistorySlice?, further: HistoryPosition) {
        let history = try await gateway.ask(GetHistory(conversation: id, limit: limit, position: position))
        var page = await delivery.opened(history.messages.filter { $0.conversation == id })
        let onPage = page.filter(\.record.isChange)
        for index in page.indices where !page[index].record.isChange {
            let kept = try disk.read { try $0.changes(of: page[index].record.id, in: id) }.compactMap {
                KeptMessage($0)
            }
            for change in onPage + kept { _ = page[index].apply(change) }
        }
        if contents == .messages { page.removeAll(where: \.record.isChange) }
        if page.isEmpty, let further = position.further(after: history.summary) {
            return (nil, further)
        }
        let slice = HistorySlice(
            messages: page.map(chatMessages.message), reachedStart: history.summary.foundOldest,
            reachedEnd: history.summary.foundNewest)
        return (slice, position)
    }

    // MARK: Damage

    /// Reads stored messages; damaged ones are fetched again.
    private nonisolated(nonsending) func repaired(_ kept: [CachedMessage], of id: ConversationID)
        async throws(ClientError)
        -> [ChatMessage]
    {
        var messages: [MessagePosition: KeptMessage] = [:]
        var damaged: [Int: MessagePosition] = [:]
        for each in kept {
            if let message = KeptMessage(each) {
                messages[each.position] = chatMessages.opened(message)
            } else if each.position.epoch == logs[id]?.log.epoch {
                damaged[each.position.seq] = each.position
            }
        }
        if let first = damaged.keys.min(), progress.isConnected {
            let request = GetHistory(conversation: id, limit: Limits.pageItems, position: .after(.seq(first - 1)))
            let history = try? await gateway.ask(request)
            for record in history?.messages ?? [] where record.conversation == id {
                guard let position = damaged[record.seq], record.epoch == position.epoch else { continue }
                var message = chatMessages.opened(KeptMessage(record: record))
                message.chapter = kept.first { $0.position == position }?.chapter ?? 0
                try disk.write { transaction in
                    try transaction.replace(message.stored(for: device.user))
                    try transaction.settle(&message, for: device.user)
                }
                messages[position] = message
            }
        }
        return kept.compactMap { messages[$0.position].map(chatMessages.message) }
    }
}

extension HistoryPosition {
    /// Where to continue after a page without wanted records.
    fileprivate func further(after page: HistorySummary) -> HistoryPosition? {
        guard page.hasMore, let seq = page.nextCursor else { return nil }
        switch self {
        case .newest, .before: return .before(.seq(seq))
        case .after: return .after(.seq(seq))
        case .around: return nil
        }
    }

    fileprivate func anchor(at position: ChapterPosition) -> ChapterAnchor {
        switch self {
        case .newest: .newest
        case .before: .before(position)
        case .after: .after(position)
        case .around: .around(position)
        }
    }

    /// The offset of a page's first record from its position.
    fileprivate var firstAfter: Int {
        switch self {
        case .newest, .before, .around: 0
        case .after: 1
        }
    }

    /// How many records of a page are before its position.
    fileprivate func before(_ limit: Int) -> Int {
        switch self {
        case .newest, .before: limit
        case .after: 0
        case .around: limit / 2
        }
    }
}
