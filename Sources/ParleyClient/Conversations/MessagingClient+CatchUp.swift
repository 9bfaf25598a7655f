import Platform
import ParleyProtocol

// What was missed: `sync/get` gives it. Where nothing is known yet, and of an older gateway, the list of conversations says
// where something is, and history gives it.

extension MessagingClient {
    private static let listPage = 100

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
                } else if !arrivedRequests.isEmpty {
                    await tellRequest()
                } else if let user = freshness.dueGuess(now: now) {
                    // What it was wanted for is shown as it is, and tried again with the next message.
                    try? await fetchKeys(of: user)
                } else if let id = nextToFetch(now: now) {
                    await fetch(id)
                } else {
                    waiters.wake(.ready)
                    // Another process of the device may accept what is held here.
                    let look = peers.book.isAnyPending ? now + MessagingClient.betweenLooks : nil
                    await fetchBell.wait(until: [nextFetchTime, look].compactMap { $0 }.min())
                    if look != nil { refreshPeers() }
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
            if canSync, try await sync() { break }
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
        // Only what was known before can be missing for having ended.
        var missing = Set(known.values.filter { $0.object != nil && $0.isMember && $0.isOpen }.map(\.id))
        var isNew = false
        for archived in [false, true] {
            if try await listOnce(archived: archived, &missing) { isNew = true }
        }
        for id in missing { removed(id) }
        return isNew
    }

    private func listOnce(
        archived: Bool, _ missing: inout Set<ConversationID>
    ) async throws(ClientError) -> Bool {
        var offset = 0
        var isNew = false
        var listed: Set<ConversationID> = []
        while true {
            let page = try await ask { [offset] (gateway) async throws(RequestError) in
                try await gateway.conversations(
                    limit: MessagingClient.listPage, offset: offset, archived: archived)
            }
            // Between two pages the order may change; a page of nothing else is one of a list that goes round.
            let before = listed.count
            listed.formUnion(page.conversations.map(\.id))
            guard page.conversations.isEmpty || listed.count > before, listed.count <= MessagingClient.mostConversations
            else {
                tell(.endless)
                break
            }
            for conversation in page.conversations {
                missing.remove(conversation.id)
                if learn(conversation) { isNew = true }
                if offset == 0 { askForStatuses(conversation.id) }
            }
            offset += page.conversations.count
            guard !page.conversations.isEmpty, offset < page.total else { break }
        }
        return isNew
    }

    /// Receipts that came while nobody listened are not sent again: of those conversations that were active last, history
    /// is asked how far the user's own messages have come.
    private func askForStatuses(_ id: ConversationID) {
        guard let entry = known[id] else { return }
        let others = entry.members.filter { $0 != device.user }
        known[id]?.statuses = entry.ownSeq > entry.reached.least(of: others).read ? .missed : .heard
    }

    /// Learns of one conversation, subscribing to it first.
    func follow(_ id: ConversationID) async throws(ClientError) {
        subscribe(to: id)
        do throws(ClientError) {
            let conversation = try await ask { (gateway) async throws(RequestError) in
                try await gateway.conversation(id)
            }
            guard conversation.id == id else { throw refuse(.otherConversation(conversation.id)) }
            try check(conversation)
            learn(conversation)
        } catch {
            if error.isLackOfAccess { removed(id) }
            throw error
        }
    }
}
