import Platform
import ParleyProtocol

/// Brings the client up to date by `sync/get`. On the first run, and with an older gateway, the list of conversations
/// and their history serve instead.
struct CatchUp {
    let outbox: Outbox, logs: ConversationLogs, keyring: Keyring, messageRequests: BoundedQueue<MessageRequest>
    let progress: ConnectionProgress, fetchPacing: FetchPacing, waiters: Waiters
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess
    let conversationUpdates: ConversationUpdates, following: Following, historyPages: HistoryPages
    let keyExchange: KeyExchange, messageRequestReader: MessageRequestReader, outboxEffects: OutboxEffects
    let sync: ConversationSync
    let fetchSignal: WakeSignal, receiptSignal: WakeSignal

    private static let listPage = 100

    /// Does one step after another, and waits when nothing is due.
    nonisolated(nonsending) func run() async {
        var generator = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            guard progress.isConnected else {
                await fetchSignal.wait()
                continue
            }
            let now = ContinuousClock.now
            outboxEffects.carryOut(outbox.expireEchoes(now: now) { logs[$0]?.log })
            if let time = fetchPacing.pausedUntil, time > now {
                await fetchSignal.wait(until: time)
                continue
            }
            do throws(ClientError) {
                try await step(now: now)
                fetchPacing.succeed()
            } catch {
                fetchPacing.fail(error, now: .now, using: &generator)
            }
        }
    }

    private nonisolated(nonsending) func step(now: ContinuousClock.Instant) async throws(ClientError) {
        if progress.needsList {
            try await list()
        } else if progress.needsKeys {
            try await keyExchange.publish()
        } else if !messageRequests.isEmpty {
            await messageRequestReader.emitNext()
        } else if let user = keyring.freshness.claimDueFetch(now: now) {
            // A failure is harmless: the keys are fetched again with the next message.
            try? await keyExchange.fetch(of: user)
        } else if let id = logs.nextToFetch(now: now) {
            await historyPages.fetch(id)
        } else {
            waiters.wake(.ready)
            // Another process of the device may accept held keys.
            let look = keyring.book.isAnyPending ? now + KeyExchange.checkInterval : nil
            await fetchSignal.wait(until: [nextTime, look].compactMap { $0 }.min())
            if look != nil { keyExchange.refresh() }
        }
    }

    private var nextTime: ContinuousClock.Instant? {
        [logs.nextFetchTime, outbox.nextEchoTime, keyring.freshness.nextFetchTime].compactMap { $0 }.min()
    }

    // MARK: Listing

    /// Lists the conversations. New ones are subscribed to first and listed again, so that no message is missed between
    /// list and subscription.
    private nonisolated(nonsending) func list() async throws(ClientError) {
        let number = progress.number
        switch configuration.follows {
        case .all:
            if sync.isPossible, try await sync.run() { break }
            while try await listOnce() {}
        case .only(let ids):
            for id in ids.union(logs.all.filter(\.isFollowed).map(\.id)) {
                do throws(ClientError) {
                    try await following.follow(id)
                } catch {
                    guard error.isLackOfAccess else { throw error }
                }
            }
        }
        progress.markListed(on: number)
        receiptSignal.signal()
        waiters.wakeAll()
    }

    /// - Returns: whether the list had conversations without a subscription.
    private nonisolated(nonsending) func listOnce() async throws(ClientError) -> Bool {
        // Only conversations that were known before can have ended.
        var missing = logs.listed
        var isNew = false
        for archived in [false, true] {
            if try await listOnce(archived: archived, &missing) { isNew = true }
        }
        for id in missing { conversationUpdates.remove(id) }
        return isNew
    }

    private nonisolated(nonsending) func listOnce(
        archived: Bool, _ missing: inout Set<ConversationID>
    ) async throws(ClientError) -> Bool {
        var offset = 0
        var isNew = false
        var listed: Set<ConversationID> = []
        while true {
            let page = try await gateway.ask(
                ListConversations(limit: CatchUp.listPage, offset: offset, archived: archived))
            // The order may change between two pages, but a page without anything new means that the list has no end.
            let before = listed.count
            listed.formUnion(page.conversations.map(\.id))
            guard page.conversations.isEmpty || listed.count > before, listed.count <= ConversationLogs.capacity
            else {
                gateway.report(.endless)
                break
            }
            for conversation in page.conversations {
                missing.remove(conversation.id)
                if conversationUpdates.merge(conversation) { isNew = true }
                if offset == 0 { askForStatuses(conversation.id) }
            }
            offset += page.conversations.count
            guard !page.conversations.isEmpty, offset < page.total else { break }
        }
        return isNew
    }

    /// Missed receipts are not sent again: the history of the most recent conversations says how far the user's
    /// messages have come.
    private func askForStatuses(_ id: ConversationID) {
        let user = device.user
        logs.update(id) { entry in
            let others = entry.members.filter { $0 != user }
            entry.statuses = entry.ownSeq > entry.reached.least(of: others).read ? .missed : .complete
        }
    }
}

/// When the client catches up next, and by which requests.
final class FetchPacing {
    private(set) var pausedUntil: ContinuousClock.Instant?
    private var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    /// The gateway of this connection has no `sync/get`.
    private(set) var lacksSync = false

    /// Another gateway may be behind a new connection.
    func markConnected() {
        pausedUntil = nil
        lacksSync = false
    }

    func succeed() {
        pausedUntil = nil
        backoff.reset()
    }

    func fail(_ error: ClientError, now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator) {
        pausedUntil = error.pause(from: now, &backoff, using: &generator)
    }

    func recordLackOfSync() { lacksSync = true }
}
