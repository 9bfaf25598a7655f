import MQTTClient
import ParleyDeviceStore
import ParleyProtocol

// Pages of history that are missing.

extension MessagingClient {
    private static let firstPage = 50

    func nextToFetch(now: ContinuousClock.Instant) -> ConversationID? {
        known.values.first { entry in
            entry.isFollowed && entry.wantsPage && (entry.notBefore.map { $0 <= now } ?? true)
        }?.id
    }

    var nextFetchTime: ContinuousClock.Instant? {
        let waiting = known.values.filter { $0.isFollowed && $0.wantsPage }.compactMap(\.notBefore)
        return (waiting + expectedEchoes.map(\.deadline) + [freshness.nextGuess].compactMap { $0 }).min()
    }

    /// Fetches one page of what is missing.
    func fetch(_ id: ConversationID) async {
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
