import ParleyDeviceStore
import ParleyProtocol

// Paging through a conversation, both ways: from what is kept, and from the gateway where that ends.

extension MessagingClient {
    /// Messages of a conversation that follow each other, as they are now: by default the newest.
    ///
    /// Without a connection it gives what is kept, and says that neither start nor end was reached. What this device keeps of
    /// a history that was over before the present one began is among it, in its place.
    ///
    /// - Parameters:
    ///   - position: where; `before` and `after` leave out the message they name, `around` has it in the middle. A seq is
    ///     one of the present epoch: whoever pages through everything names messages.
    ///   - limit: 1 to 200; fewer may be given, which does not mean that there are no more.
    ///   - withChanges: whether the records that change messages stand among them, each in its place in the log.
    public func history(
        of conversation: ConversationID, at position: HistoryPosition = .newest, limit: Int = 50,
        withChanges: Bool = false
    ) async throws(ClientError) -> HistorySlice {
        let contents: PageContents = withChanges ? .everything : .messages
        let limit = min(max(limit, 1), Limits.pageItems)
        try await settle(conversation)
        removeExpired()
        guard let place = try place(of: position, in: conversation),
            reaches(place, from: place.seq + position.firstAfter, of: conversation)
        else {
            guard known[conversation]?.log.held != nil else { return try waiting(in: conversation) }
            return try await pass(position, limit, conversation, contents)
        }
        try await extendDown(conversation, wanting: position.before(limit), before: place, contents)
        // What was fetched may have moved what it is about.
        let anchor = position.anchor(at: try self.place(of: position, in: conversation) ?? place)
        let (kept, isFirst, isLast) = try read { snapshot in
            let kept = try snapshot.messages(in: conversation, anchor, limit: limit, contents)
            let first = kept.first?.chapterPlace ?? place
            let last = kept.last?.chapterPlace ?? ChapterPlace(chapter: place.chapter, seq: place.seq - 1)
            return (
                kept, try snapshot.messages(in: conversation, .before(first), limit: 1, contents).isEmpty,
                try snapshot.messages(in: conversation, .after(last), limit: 1, contents).isEmpty
            )
        }
        let messages = try await whole(kept, of: conversation)
        return HistorySlice(
            messages: messages + (isLast ? try waitingMessages(in: conversation) : []),
            reachedStart: isFirst && known[conversation]?.holdsStart == true,
            reachedEnd: isLast && progress.isConnected)
    }

    /// Nothing is kept, and nothing could be fetched.
    private func waiting(in conversation: ConversationID) throws(ClientError) -> HistorySlice {
        HistorySlice(
            messages: try waitingMessages(in: conversation), reachedStart: false, reachedEnd: progress.isConnected)
    }

    /// Messages with all the words of `text`, the newest first: of what is kept on this device, without a connection too.
    ///
    /// - Parameters:
    ///   - text: words, each the beginning of one; those in double quotes stand side by side.
    ///   - conversation: `nil` for all.
    ///   - limit: at most 200.
    public func search(
        _ text: String, in conversation: ConversationID? = nil, limit: Int = 50
    ) throws(ClientError) -> [ChatMessage] {
        removeExpired()
        do throws(DeviceStoreError) {
            return try store.search(SearchQuery(text, in: conversation, limit: limit))
                .compactMap { KeptMessage($0).map(chatMessage) }
        } catch {
            throw .storage(error)
        }
    }

    // MARK: Where

    /// The place that a page begins, ends or turns at; `nil` for a message that is not here.
    private func place(
        of position: HistoryPosition, in conversation: ConversationID
    ) throws(ClientError) -> ChapterPlace? {
        let seqs = ConversationLog<ReceivedRecord>.seqs
        switch position {
        case .newest: return ChapterPlace(chapter: .max, seq: seqs.upperBound)
        case .before(.id(let id)), .after(.id(let id)), .around(.id(let id)):
            return try read { try $0.message(id, in: conversation)?.chapterPlace }
        case .before(.seq(let seq)), .after(.seq(let seq)), .around(.seq(let seq)):
            guard let entry = known[conversation], let epoch = entry.log.epoch else { return nil }
            let seq = min(max(seq, 0), seqs.upperBound)
            return try read { snapshot in
                ChapterPlace(
                    chapter: try snapshot.chapter(of: seq, epoch: epoch, in: conversation) ?? entry.chapter, seq: seq)
            }
        }
    }

    /// Whether what is kept has a place. Of the present epoch it does from the held range on; what stands before that was
    /// kept of an earlier stretch. What is kept of epochs that are over is all that there is of them.
    ///
    /// - Parameter first: the first sequence number that is wanted from there on.
    private func reaches(_ place: ChapterPlace, from first: Int, of conversation: ConversationID) -> Bool {
        guard let entry = known[conversation] else { return false }
        guard let held = entry.log.held, let epoch = entry.log.epoch else {
            return (try? read { try $0.lastChapter(of: conversation) }) ?? nil != nil
        }
        guard first < held.lowerBound else { return true }
        return (try? read { try $0.isOver(place, in: conversation, epoch: epoch) }) ?? false
    }

    /// Waits until what is new has come, if it can.
    private func settle(_ id: ConversationID) async throws(ClientError) {
        guard progress.end == nil, !isStranded else { return }
        if known[id]?.isFollowed != true, known[id]?.isMember != false, known[id]?.isOpen != false {
            try await follow(id)
        }
        do throws(ClientError) {
            try await wait(for: .settled(id), until: .now + .seconds(10)) { () throws(ClientError) -> Void? in
                let isSettled = !progress.needsList && known[id]?.isSettled != false
                return isSettled || isStranded ? () : nil
            }
        } catch {
            // What is kept is shown meanwhile.
            guard case .timedOut = error else { throw error }
        }
    }

    /// Whether there was a connection and is none.
    private var isStranded: Bool { progress.trouble != nil }

    /// So many pages in a row may hold changes alone.
    private static let mostEmptyPages = 1000

    // MARK: What lies before

    /// Fetches what is before the held range until there are `count` of it before `place`, or it reaches the start.
    private func extendDown(
        _ id: ConversationID, wanting count: Int, before place: ChapterPlace, _ contents: PageContents
    ) async throws(ClientError) {
        while let entry = known[id], let held = entry.log.held, let epoch = entry.log.epoch, held.lowerBound > 1,
            entry.start == .unknown, progress.isConnected, entry.isMember
        {
            // Between what is over and what is held of the present epoch nothing may be missing.
            let count = max(count, place.chapter < entry.chapter ? 1 : 0)
            let found = try read {
                try $0.count(in: id, epoch: epoch, from: held.lowerBound, before: place, limit: count, contents)
            }
            guard found < count else { return }
            let request = GetHistory(
                conversation: id, limit: Limits.pageItems, position: .before(.seq(held.lowerBound)))
            let history: ReceivedHistory
            do throws(ClientError) {
                history = try await page(request)
            } catch {
                // What is kept is shown, and says that it does not reach the start.
                guard case .unanswered = error else { throw error }
                return
            }
            guard known[id]?.log.held?.lowerBound == held.lowerBound else { continue }
            guard try await join(history, to: id) else { return }
        }
    }

    /// - Returns: whether anything joined.
    private func join(_ history: ReceivedHistory, to id: ConversationID) async throws(ClientError) -> Bool {
        let records = history.messages.filter { $0.conversation == id && $0.epoch == history.summary.epoch }
        let opened = Dictionary(zip(records.map(\.seq), await opened(records))) { $1 }
        guard var entry = known[id] else { return false }
        let older = entry.log.receivedOlder(ConversationLog.Page(history, of: id))
        if history.summary.foundOldest, older.first?.seq == history.messages.first?.seq { entry.start = .reached }
        var kept = older.compactMap { opened[$0.seq] }
        entry.unread.joins(kept.count { $0.record.seq > entry.unread.readSeq && $0.counts(for: device.user) })
        let (keeping, resends): (Keeping, [Resend])
        do throws(DeviceStoreError) {
            (keeping, resends) = try keepRecords(&kept, in: &entry)
        } catch {
            throw .storage(error)
        }
        known[id]?.log = entry.log
        known[id]?.unread = entry.unread
        known[id]?.unopened = entry.unopened
        known[id]?.unopenedChanges = entry.unopenedChanges
        start(resends)
        noteUnopened(kept)
        known[id]?.start = entry.start
        for message in kept where keeping.finished.contains(message.record.id) { stands(message.record) }
        takeStatuses(history.messages, of: id)
        return !older.isEmpty
    }

    /// A page that lies apart from what is kept: it is shown, and not kept. Changes that are neither on the page nor kept
    /// are not seen on it.
    private func pass(
        _ start: HistoryPosition, _ limit: Int, _ id: ConversationID, _ contents: PageContents
    ) async throws(ClientError) -> HistorySlice {
        var position = start
        for _ in 0..<MessagingClient.mostEmptyPages {
            let (slice, further) = try await passOnce(position, limit, id, contents)
            if let slice { return slice }
            position = further
        }
        throw refuse(.endless)
    }

    /// - Returns: no slice for a page that held nothing that is wanted, and where it goes on.
    private func passOnce(
        _ position: HistoryPosition, _ limit: Int, _ id: ConversationID, _ contents: PageContents
    ) async throws(ClientError) -> (HistorySlice?, further: HistoryPosition) {
        let history = try await page(GetHistory(conversation: id, limit: limit, position: position))
        var page = await opened(history.messages.filter { $0.conversation == id })
        let onPage = page.filter(\.record.isChange)
        for index in page.indices where !page[index].record.isChange {
            let kept = try read { try $0.changes(of: page[index].record.id, in: id) }.compactMap { KeptMessage($0) }
            for change in onPage + kept { _ = page[index].apply(change) }
        }
        if contents == .messages { page.removeAll(where: \.record.isChange) }
        if page.isEmpty, let further = position.further(after: history.summary) {
            return (nil, further)
        }
        let slice = HistorySlice(
            messages: page.map(chatMessage), reachedStart: history.summary.foundOldest,
            reachedEnd: history.summary.foundNewest)
        return (slice, position)
    }

    // MARK: Damage

    /// Reads what is kept; what is damaged is fetched again.
    private func whole(_ kept: [CachedMessage], of id: ConversationID) async throws(ClientError) -> [ChatMessage] {
        var messages: [MessagePlace: KeptMessage] = [:]
        var damaged: [Int: MessagePlace] = [:]
        for each in kept {
            if let message = KeptMessage(each) {
                messages[each.place] = opened(message)
            } else if each.place.epoch == known[id]?.log.epoch {
                damaged[each.place.seq] = each.place
            }
        }
        if let first = damaged.keys.min(), progress.isConnected {
            let request = GetHistory(conversation: id, limit: Limits.pageItems, position: .after(.seq(first - 1)))
            let history = try? await page(request)
            for record in history?.messages ?? [] where record.conversation == id {
                guard let place = damaged[record.seq], record.epoch == place.epoch else { continue }
                var message = opened(KeptMessage(record: record))
                message.chapter = kept.first { $0.place == place }?.chapter ?? 0
                try write { transaction in
                    try transaction.replace(message.stored(for: device.user))
                    try transaction.settle(&message, for: device.user)
                }
                messages[place] = message
            }
        }
        return kept.compactMap { messages[$0.place].map(chatMessage) }
    }
}

extension HistoryPosition {
    /// Where it goes on behind a page that held nothing that is wanted.
    fileprivate func further(after page: HistorySummary) -> HistoryPosition? {
        guard page.hasMore, let seq = page.nextCursor else { return nil }
        switch self {
        case .newest, .before: return .before(.seq(seq))
        case .after: return .after(.seq(seq))
        case .around: return nil
        }
    }
}

extension HistoryPosition {
    fileprivate func anchor(at place: ChapterPlace) -> ChapterAnchor {
        switch self {
        case .newest: .newest
        case .before: .before(place)
        case .after: .after(place)
        case .around: .around(place)
        }
    }

    /// How far behind its place a page begins.
    fileprivate var firstAfter: Int {
        switch self {
        case .newest, .before, .around: 0
        case .after: 1
        }
    }

    /// How many of a page lie before the place that it is named by.
    fileprivate func before(_ limit: Int) -> Int {
        switch self {
        case .newest, .before: limit
        case .after: 0
        case .around: limit / 2
        }
    }
}
