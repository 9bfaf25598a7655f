import ParleyDeviceStore
import ParleyProtocol

// Paging through a conversation, both ways: from what is kept, and from the gateway where that ends.

extension MessagingClient {
    /// Messages of a conversation that follow each other, as they are now: by default the newest.
    ///
    /// Without a connection it gives what is kept, and says that neither start nor end was reached.
    ///
    /// - Parameters:
    ///   - position: where; `before` and `after` leave out the message they name, `around` has it in the middle.
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
        guard let held = known[conversation]?.log.held, let epoch = known[conversation]?.log.epoch else {
            return HistorySlice(
                messages: try waitingMessages(in: conversation), reachedStart: false, reachedEnd: progress.isConnected)
        }
        guard let (anchor, place) = try anchor(of: position, in: conversation, held), place >= held.lowerBound else {
            return try await pass(position, limit, conversation, contents)
        }
        try await extendDown(
            conversation, wanting: anchor.before(limit), before: min(place, held.upperBound), contents)
        let (kept, isFirst, isLast) = try read { snapshot in
            let kept = try snapshot.messages(in: conversation, epoch: epoch, anchor, limit: limit, contents)
            let (first, last) = (kept.first?.place.seq ?? place, kept.last?.place.seq ?? place - 1)
            return (
                kept, try snapshot.messages(in: conversation, epoch: epoch, .before(first), limit: 1, contents).isEmpty,
                try snapshot.messages(in: conversation, epoch: epoch, .after(last), limit: 1, contents).isEmpty
            )
        }
        let messages = try await whole(kept, of: conversation)
        return HistorySlice(
            messages: messages + (isLast ? try waitingMessages(in: conversation) : []),
            reachedStart: isFirst && known[conversation]?.holdsStart == true,
            reachedEnd: isLast && progress.isConnected)
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
                .compactMap { KeptMessage(payload: $0.payload).map(chatMessage) }
        } catch {
            throw .storage(error)
        }
    }

    // MARK: Where

    private func seq(of point: RecordPoint, in conversation: ConversationID) throws(ClientError) -> Int? {
        switch point {
        case .seq(let seq): return min(max(seq, 0), ConversationLog<ReceivedRecord>.seqs.upperBound)
        case .id(let id):
            return try read { try $0.message(id, in: conversation)?.place.seq }
        }
    }

    /// Which page of what is kept is meant, and the seq it begins, ends or turns at; `nil` for a message that is not here.
    private func anchor(
        of position: HistoryPosition, in conversation: ConversationID, _ held: Range<Int>
    ) throws(ClientError) -> (PageAnchor, Int)? {
        switch position {
        case .newest: return (.newest, held.upperBound)
        case .before(let point): return try seq(of: point, in: conversation).map { (.before($0), $0) }
        case .after(let point): return try seq(of: point, in: conversation).map { (.after($0), $0 + 1) }
        case .around(let point): return try seq(of: point, in: conversation).map { (.around($0), $0) }
        }
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

    // MARK: What lies before

    /// Fetches what is before the held range until there are `count` before `place`, or it reaches the start.
    private func extendDown(
        _ id: ConversationID, wanting count: Int, before place: Int, _ contents: PageContents
    ) async throws(ClientError) {
        while let entry = known[id], let held = entry.log.held, let epoch = entry.log.epoch, held.lowerBound > 1,
            !entry.reachesStart, progress.isConnected, entry.isMember
        {
            let found = try read {
                try $0.messages(in: id, epoch: epoch, .before(place), limit: count, contents)
            }
            // What was kept of an earlier stretch does not count.
            guard found.count(where: { $0.place.seq >= held.lowerBound }) < count else { return }
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
        if history.summary.foundOldest, older.first?.seq == history.messages.first?.seq { entry.reachesStart = true }
        var kept = older.compactMap { opened[$0.seq] }
        entry.unread.joins(kept.count { $0.record.seq > entry.unread.readSeq && $0.counts(for: device.user) })
        let keeping = try write { transaction in
            let keeping = try transaction.keep(&kept, of: device)
            try recount(&entry, in: transaction.facts)
            try transaction.save(entry.kept(own: device.user))
            return keeping
        }
        known[id]?.log = entry.log
        known[id]?.unread = entry.unread
        known[id]?.reachesStart = entry.reachesStart
        for message in kept where keeping.finished.contains(message.record.id) { stands(message.record) }
        takeStatuses(history.messages, of: id)
        return !older.isEmpty
    }

    /// A page that lies apart from what is kept: it is shown, and not kept. Changes that are neither on the page nor kept
    /// are not seen on it.
    private func pass(
        _ position: HistoryPosition, _ limit: Int, _ id: ConversationID, _ contents: PageContents
    ) async throws(ClientError) -> HistorySlice {
        let history = try await page(GetHistory(conversation: id, limit: limit, position: position))
        var page = await opened(history.messages.filter { $0.conversation == id })
        let onPage = page.filter(\.record.isChange)
        for index in page.indices where !page[index].record.isChange {
            let kept = try read { try $0.changes(of: page[index].record.id, in: id) }.compactMap(KeptMessage.init)
            for change in onPage + kept { _ = page[index].apply(change) }
        }
        if contents == .messages { page.removeAll(where: \.record.isChange) }
        if page.isEmpty, let further = position.further(after: history.summary) {
            return try await pass(further, limit, id, contents)
        }
        return HistorySlice(
            messages: page.map(chatMessage), reachedStart: history.summary.foundOldest,
            reachedEnd: history.summary.foundNewest)
    }

    // MARK: Damage

    /// Reads what is kept; what is damaged is fetched again.
    private func whole(_ kept: [CachedMessage], of id: ConversationID) async throws(ClientError) -> [ChatMessage] {
        var messages: [Int: KeptMessage] = [:]
        var damaged: [Int] = []
        for each in kept {
            guard case .whole(let stored) = each, let message = KeptMessage(payload: stored.payload) else {
                damaged.append(each.place.seq)
                continue
            }
            messages[each.place.seq] = opened(message)
        }
        if let first = damaged.first, progress.isConnected {
            let request = GetHistory(conversation: id, limit: Limits.pageItems, position: .after(.seq(first - 1)))
            let history = try? await page(request)
            for record in history?.messages ?? [] where damaged.contains(record.seq) && record.conversation == id {
                var message = opened(KeptMessage(record: record))
                try write { transaction in
                    try transaction.replace(message.stored(for: device.user))
                    try transaction.settle(&message, for: device.user)
                }
                messages[record.seq] = message
            }
        }
        return kept.compactMap { messages[$0.place.seq].map(chatMessage) }
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

extension PageAnchor {
    /// How many of a page lie before the place that it is named by.
    fileprivate func before(_ limit: Int) -> Int {
        switch self {
        case .newest, .before: limit
        case .after: 0
        case .around: limit / 2
        }
    }
}
