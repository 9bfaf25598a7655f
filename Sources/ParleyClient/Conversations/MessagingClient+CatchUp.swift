import MQTTClient
import ParleyDeviceStore
import ParleyProtocol

// What was missed: the list of conversations says where something is, and history gives it.

extension MessagingClient {
    private static let listPage = 100
    private static let firstPage = 50

    /// Lists, publishes and fetches, one after another, until there is nothing more to do.
    func fetchLoop() async {
        while !Task.isCancelled {
            guard progress.isConnected else {
                await fetchBell.wait()
                continue
            }
            let now = ContinuousClock.now
            expectSent(now: now)
            if let time = fetchPausedUntil, time > now {
                await fetchBell.wait(until: time)
                continue
            }
            do throws(ClientError) {
                if progress.needsList {
                    try await list()
                } else if progress.needsKeys {
                    try await publishKeys()
                } else if let user = freshness.dueGuess(now: now) {
                    try await fetchKeys(of: user)
                } else if let id = nextToFetch(now: now) {
                    await fetch(id)
                } else {
                    waiters.wake(.ready)
                    await fetchBell.wait(until: nextFetchTime)
                }
                fetchPausedUntil = nil
                fetchBackoff.reset()
            } catch {
                fetchPausedUntil = pause(after: error, &fetchBackoff)
            }
        }
    }

    /// When what has failed may be tried again.
    func pause(after error: ClientError, _ backoff: inout Backoff) -> ContinuousClock.Instant {
        if case .refused(let rejection) = error, let wait = rejection.retryAfterMilliseconds {
            return .now + min(.milliseconds(wait), SendQueue.longestPause)
        }
        return .now + backoff.next(using: &generator)
    }

    // MARK: Listing

    /// Learns of every conversation how far it goes. What is new is subscribed to first and listed once more, so that
    /// nothing falls between list and subscription.
    private func list() async throws(ClientError) {
        let number = progress.number
        switch configuration.follows {
        case .all:
            while try await listOnce() {}
        case .only(let ids):
            for id in ids.union(known.values.filter(\.isFollowed).map(\.id)) {
                do throws(ClientError) {
                    try await follow(id)
                } catch {
                    guard error.isLackOfAccess else { throw error }
                }
            }
        }
        progress.listed(on: number)
        receiptBell.ring()
        waiters.wakeAll()
    }

    /// - Returns: whether conversations were listed that had not been subscribed to.
    private func listOnce() async throws(ClientError) -> Bool {
        var offset = 0
        var isNew = false
        // Only what was known before can be missing for having ended.
        var missing = Set(known.values.filter { $0.object != nil && $0.isMember }.map(\.id))
        while true {
            let page = try await ask { [offset] (gateway) async throws(RequestError) in
                try await gateway.conversations(limit: MessagingClient.listPage, offset: offset)
            }
            for conversation in page.conversations {
                missing.remove(conversation.id)
                if learn(conversation) { isNew = true }
                if offset == 0 { askForStatuses(conversation.id) }
            }
            offset += page.conversations.count
            guard !page.conversations.isEmpty, offset < page.total else { break }
        }
        for id in missing { removed(id) }
        return isNew
    }

    /// Receipts that came while nobody listened are not sent again: of those conversations that were active last, history
    /// is asked how far the user's own messages have come.
    private func askForStatuses(_ id: ConversationID) {
        guard let entry = known[id] else { return }
        let others = entry.members.filter { $0 != device.user }
        known[id]?.needsStatuses = entry.ownSeq > entry.reached.least(of: others).read
    }

    /// Learns of one conversation, subscribing to it first.
    func follow(_ id: ConversationID) async throws(ClientError) {
        subscribe(to: id)
        do throws(ClientError) {
            learn(try await ask { (gateway) async throws(RequestError) in try await gateway.conversation(id) })
        } catch {
            if error.isLackOfAccess { removed(id) }
            throw error
        }
    }

    // MARK: What becomes known of a conversation

    /// Takes up what the gateway says of a conversation.
    ///
    /// - Returns: whether it was not followed before.
    @discardableResult
    func learn(_ conversation: ReceivedConversation) -> Bool {
        let id = conversation.id
        let old = known[id]
        var entry = old ?? FollowedConversation(id)
        var object = conversation
        // A retained event may be older than what is known.
        if let known = entry.object, known.updatedAt > conversation.updatedAt { object = known }
        entry.object = object
        entry.isMember = true
        if let lastSeq = conversation.lastSeq {
            entry.log.learned(epoch: conversation.epoch, lastSeq: lastSeq)
        }
        if let standing = conversation.standing {
            entry.unread.counted(
                standing.unreadCount, readSeq: standing.lastReadSeq, lastSeq: conversation.lastSeq ?? 0)
        }
        let isNew = old?.isFollowed != true
        if configuration.follows == .all || entry.isFollowed { entry.isFollowed = true }
        known[id] = entry
        if isNew, entry.isFollowed { subscribe(to: id) }
        keep(id)
        if old?.object == nil || old?.isMember == false {
            tell(id) { .conversationAdded($0) }
        } else if old?.object?.hasSameFace(as: object) == false || old?.unread != entry.unread {
            tell(id) { .conversationChanged($0) }
        }
        fetchBell.ring()
        return isNew && entry.isFollowed
    }

    /// The user is no member any more.
    func removed(_ id: ConversationID) {
        guard let entry = known[id], entry.isMember else { return }
        known[id]?.isMember = false
        known[id]?.isFollowed = false
        for channel in MessagingClient.channels { connection.unsubscribe(from: Topic.conversation(id, channel).name) }
        receipts.reset(id)
        keep(id)
        hub.emit(.conversationRemoved(id))
        waiters.wake(.settled(id))
    }

    private static let channels: [ConversationChannel] = [.messages, .receipts, .typing, .info]

    func subscribe(to id: ConversationID) {
        known[id, default: FollowedConversation(id)].isFollowed = true
        for channel in MessagingClient.channels { connection.subscribe(to: Topic.conversation(id, channel).name) }
    }

    func tell(_ id: ConversationID, _ event: (ConversationSummary) -> ClientEvent) {
        if let summary = summary(id) { hub.emit(event(summary)) }
    }

    /// Keeps what is known of a conversation. Should that fail, it is learned again on the next connection.
    func keep(_ id: ConversationID) {
        guard let state = state(of: id) else { return }
        note { try $0.save(state) }
    }

    func state(of id: ConversationID) -> ConversationState? {
        known[id].map { $0.kept(own: device.user) }
    }

    // MARK: Fetching

    private func nextToFetch(now: ContinuousClock.Instant) -> ConversationID? {
        known.values.first { entry in
            entry.isFollowed && entry.wantsPage && (entry.notBefore.map { $0 <= now } ?? true)
        }?.id
    }

    private var nextFetchTime: ContinuousClock.Instant? {
        let waiting = known.values.filter { $0.isFollowed && $0.wantsPage }.compactMap(\.notBefore)
        return (waiting + expectedEchoes.map(\.deadline) + [freshness.nextGuess].compactMap { $0 }).min()
    }

    /// Fetches one page of what is missing.
    private func fetch(_ id: ConversationID) async {
        guard let entry = known[id] else { return }
        let want = entry.log.want ?? .newest
        let request =
            switch want {
            case .newest: GetHistory(conversation: id, limit: MessagingClient.firstPage)
            case .after(let seq):
                GetHistory(conversation: id, limit: Limits.pageItems, position: .after(.seq(seq)))
            }
        do throws(ClientError) {
            let history = try await page(request)
            take(history, of: id, for: want)
        } catch {
            if error.isLackOfAccess {
                removed(id)
            } else if var backoff = known[id]?.backoff {
                known[id]?.notBefore = pause(after: error, &backoff)
                known[id]?.backoff = backoff
            }
        }
    }

    func page(_ request: GetHistory) async throws(ClientError) -> ReceivedHistory {
        try await ask { (gateway) async throws(RequestError) in try await gateway.history(request) }
    }

    private func take(_ history: ReceivedHistory, of id: ConversationID, for want: ConversationLog<ReceivedRecord>.Want)
    {
        guard let old = known[id] else { return }
        let outcome = known[id]?.log.received(ConversationLog.Page(history, of: id), for: want)
        if outcome?.isReset == true { reset(id, from: old.log.epoch) }
        if history.summary.foundOldest, want == .newest { known[id]?.reachesStart = true }
        takeStatuses(history.messages, of: id)
        known[id]?.needsStatuses = false
        if outcome?.isProgress == true || known[id]?.log.want != want {
            known[id]?.notBefore = nil
            known[id]?.backoff.reset()
        } else if var backoff = known[id]?.backoff {
            known[id]?.notBefore = .now + backoff.next(using: &generator)
            known[id]?.backoff = backoff
        }
        deliverBell.ring()
    }

    /// The gateway's history began anew: what was kept of the old one may be in it under other numbers, or nowhere.
    private func reset(_ id: ConversationID, from epoch: String?) {
        receipts.reset(id)
        known[id]?.reached.reset()
        known[id]?.unread = Unread()
        known[id]?.deliveredSeq = 0
        known[id]?.reachesStart = false
        let state = state(of: id)
        note { transaction in
            if let epoch { try transaction.forget(epoch: epoch, of: id) }
            if let state { try transaction.save(state) }
        }
        hub.emit(.historyReset(id))
    }
}

extension ReceivedConversation {
    /// Whether a list would show both alike.
    fileprivate func hasSameFace(as other: ReceivedConversation) -> Bool {
        name == other.name && members == other.members && type == other.type
    }
}
