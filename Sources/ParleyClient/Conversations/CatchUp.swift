import Platform
import ParleyProtocol

/// Brings the client up to date: `sync/get` gives what was missed. Where nothing is known yet, and of an older gateway,
/// the list of conversations says where something is, and history gives it.
struct CatchUp {
    let outbox: Outbox, logs: ConversationLogs, keyring: Keyring, messageRequests: BoundedQueue<MessageRequest>
    let progress: ConnectionProgress, fetchPacing: FetchPacing, waiters: Waiters
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess
    let conversationUpdates: ConversationUpdates, following: Following, historyPages: HistoryPages
    let keyExchange: KeyExchange, messageRequestReader: MessageRequestReader, outboxEffects: OutboxEffects
    let sync: ConversationSync
    let fetchSignal: WakeSignal, receiptSignal: WakeSignal

    private static let listPage = 100

    /// Lists, publishes and fetches, one after another, until there is nothing more to do, and waits for more.
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

    /// Does one thing that there is to do, or waits.
    private nonisolated(nonsending) func step(now: ContinuousClock.Instant) async throws(ClientError) {
        if progress.needsList {
            try await list()
        } else if progress.needsKeys {
            try await keyExchange.publish()
        } else if !messageRequests.isEmpty {
            await messageRequestReader.emitNext()
        } else if let user = keyring.freshness.claimDueGuess(now: now) {
            // What it was wanted for is shown as it is, and tried again with the next message.
            try? await keyExchange.fetch(of: user)
        } else if let id = logs.nextToFetch(now: now) {
            await historyPages.fetch(id)
        } else {
            waiters.wake(.ready)
            // Another process of the device may accept what is held here.
            let look = keyring.book.isAnyPending ? now + KeyExchange.betweenLooks : nil
            await fetchSignal.wait(until: [nextTime, look].compactMap { $0 }.min())
            if look != nil { keyExchange.refresh() }
        }
    }

    /// When there will be something to do by itself.
    private var nextTime: ContinuousClock.Instant? {
        [logs.nextFetchTime, outbox.nextEchoTime, keyring.freshness.nextGuess].compactMap { $0 }.min()
    }

    // MARK: Listing

    /// Asks of every conversation how far it goes. What is new is subscribed to first and listed once more, so that
    /// nothing falls between list and subscription.
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

    /// - Returns: whether conversations were listed that had not been subscribed to.
    private nonisolated(nonsending) func listOnce() async throws(ClientError) -> Bool {
        // Only what was known before can be missing for having ended.
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
            // Between two pages the order may change; a page of nothing else is one of a list that goes round.
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

    /// Receipts that came while nobody listened are not sent again: of those conversations that were active last,
    /// history is asked how far the user's own messages have come.
    private func askForStatuses(_ id: ConversationID) {
        let user = device.user
        logs.update(id) { entry in
            let others = entry.members.filter { $0 != user }
            entry.statuses = entry.ownSeq > entry.reached.least(of: others).read ? .missed : .complete
        }
    }
}

/// When the catching up of a client goes on, and by which requests.
final class FetchPacing {
    private(set) var pausedUntil: ContinuousClock.Instant?
    private var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    /// The gateway has no `sync/get`, as far as this connection goes.
    private(set) var lacksSync = false

    /// There is a connection: another gateway may be behind it, and nothing has failed on it.
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
