import Platform
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
        guard let entry = known[id] else { return }
        let isAnew = want == .newest && entry.log.epoch.map { $0 != history.summary.epoch } ?? false
        if isAnew { began(id, epoch: history.summary.epoch) }
        let outcome = known[id]?.log.received(ConversationLog.Page(history, of: id), for: want)
        if history.summary.foundOldest, want == .newest { known[id]?.start = .reached }
        takeStatuses(history.messages, of: id)
        known[id]?.statuses = .heard
        if outcome?.isProgress == true || known[id]?.log.want != want {
            known[id]?.notBefore = nil
            known[id]?.backoff.reset()
        } else if var backoff = known[id]?.backoff {
            known[id]?.notBefore = .now + backoff.next(using: &generator)
            known[id]?.backoff = backoff
        }
        if isAnew, var backoff = known[id]?.epochBackoff {
            // How far everybody has come is asked for; not again and again at once, should epochs never end.
            progress.missed()
            known[id]?.notBefore = .now + backoff.next(using: &generator)
            known[id]?.epochBackoff = backoff
        }
        deliverBell.ring()
    }

    /// The gateway's history begins anew. What is kept of the old one stays, before what comes of the new.
    func began(_ id: ConversationID, epoch: String) {
        guard var entry = known[id] else { return }
        entry.began(epoch: epoch, own: device.user)
        known[id] = entry
        receipts.reset(id)
        sendAgain(in: id)
        keep(id)
        hub.emit(.historyReset(id))
    }

    /// What the gateway had taken, and whose record has not come, is perhaps lost with the old epoch: a repeat does nothing
    /// twice.
    private func sendAgain(in id: ConversationID) {
        for echo in expectedEchoes where echo.conversation == id {
            guard let item = try? store.read({ try $0.queued(echo.message.id) }), item.state == .pending else {
                continue
            }
            queue.insert(item.id, in: id, position: item.position)
        }
        expectedEchoes.removeAll { $0.conversation == id }
        sendBell.ring()
    }
}
