import Platform
import ParleyProtocol

/// Brings the client up to date: `sync/get` gives what was missed. Where nothing is known yet, and of an older gateway, the
/// list of conversations says where something is, and history gives it.
struct CatchUp {
    let context: ClientContext

    private static let listPage = 100

    /// Lists, publishes and fetches, one after another, until there is nothing more to do, and waits for more.
    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            guard context.progress.isConnected else {
                await context.wakeUps.fetch.wait()
                continue
            }
            let now = ContinuousClock.now
            context.outboxEffects.carryOut(context.outbox.expireEchoes(now: now) { context.logs[$0]?.log })
            if let time = context.fetchPacing.pausedUntil, time > now {
                await context.wakeUps.fetch.wait(until: time)
                continue
            }
            do throws(ClientError) {
                try await step(now: now)
                context.fetchPacing.succeed()
            } catch {
                context.fetchPacing.fail(error, now: .now, using: &context.generator)
            }
        }
    }

    /// Does one thing that there is to do, or waits.
    private nonisolated(nonsending) func step(now: ContinuousClock.Instant) async throws(ClientError) {
        if context.progress.needsList {
            try await list()
        } else if context.progress.needsKeys {
            try await context.keyExchange.publish()
        } else if !context.messageRequests.isEmpty {
            await context.messageRequestReader.emitNext()
        } else if let user = context.keyring.freshness.claimDueGuess(now: now) {
            // What it was wanted for is shown as it is, and tried again with the next message.
            try? await context.keyExchange.fetch(of: user)
        } else if let id = context.logs.nextToFetch(now: now) {
            await context.historyPages.fetch(id)
        } else {
            context.waiters.wake(.ready)
            // Another process of the device may accept what is held here.
            let look = context.keyring.book.isAnyPending ? now + KeyExchange.betweenLooks : nil
            await context.wakeUps.fetch.wait(until: [nextTime, look].compactMap { $0 }.min())
            if look != nil { context.keyExchange.refresh() }
        }
    }

    /// When there will be something to do by itself.
    private var nextTime: ContinuousClock.Instant? {
        [context.logs.nextFetchTime, context.outbox.nextEchoTime, context.keyring.freshness.nextGuess]
            .compactMap { $0 }.min()
    }

    // MARK: Listing

    /// Asks of every conversation how far it goes. What is new is subscribed to first and listed once more, so that
    /// nothing falls between list and subscription.
    private nonisolated(nonsending) func list() async throws(ClientError) {
        let number = context.progress.number
        switch context.configuration.follows {
        case .all:
            if context.sync.isPossible, try await context.sync.run() { break }
            while try await listOnce() {}
        case .only(let ids):
            for id in ids.union(context.logs.all.filter(\.isFollowed).map(\.id)) {
                do throws(ClientError) {
                    try await context.following.follow(id)
                } catch {
                    guard error.isLackOfAccess else { throw error }
                }
            }
        }
        context.progress.markListed(on: number)
        context.wakeUps.receipt.signal()
        context.waiters.wakeAll()
    }

    /// - Returns: whether conversations were listed that had not been subscribed to.
    private nonisolated(nonsending) func listOnce() async throws(ClientError) -> Bool {
        // Only what was known before can be missing for having ended.
        var missing = context.logs.listed
        var isNew = false
        for archived in [false, true] {
            if try await listOnce(archived: archived, &missing) { isNew = true }
        }
        for id in missing { context.conversationUpdates.remove(id) }
        return isNew
    }

    private nonisolated(nonsending) func listOnce(
        archived: Bool, _ missing: inout Set<ConversationID>
    ) async throws(ClientError) -> Bool {
        var offset = 0
        var isNew = false
        var listed: Set<ConversationID> = []
        while true {
            let page = try await context.ask(
                ListConversations(limit: CatchUp.listPage, offset: offset, archived: archived))
            // Between two pages the order may change; a page of nothing else is one of a list that goes round.
            let before = listed.count
            listed.formUnion(page.conversations.map(\.id))
            guard page.conversations.isEmpty || listed.count > before, listed.count <= ConversationLogs.capacity
            else {
                context.report(.endless)
                break
            }
            for conversation in page.conversations {
                missing.remove(conversation.id)
                if context.conversationUpdates.merge(conversation) { isNew = true }
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
        let user = context.device.user
        context.logs.update(id) { entry in
            let others = entry.members.filter { $0 != user }
            entry.statuses = entry.ownSeq > entry.reached.least(of: others).read ? .missed : .complete
        }
    }
}

/// When the catching up of a client goes on, and by which requests.
struct FetchPacing {
    private(set) var pausedUntil: ContinuousClock.Instant?
    private var backoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    /// The gateway has no `sync/get`, as far as this connection goes.
    private(set) var lacksSync = false

    /// There is a connection: another gateway may be behind it, and nothing has failed on it.
    mutating func markConnected() {
        pausedUntil = nil
        lacksSync = false
    }

    mutating func succeed() {
        pausedUntil = nil
        backoff.reset()
    }

    mutating func fail(
        _ error: ClientError, now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator
    ) {
        pausedUntil = error.pause(from: now, &backoff, using: &generator)
    }

    mutating func recordLackOfSync() { lacksSync = true }
}

extension ClientContext {
    var catchUp: CatchUp { CatchUp(context: self) }
}
