import Platform
import ParleyProtocol

struct HistoryPages {
    let logs: ConversationLogs, progress: ConnectionProgress, gateway: GatewayAccess
    let conversationUpdates: ConversationUpdates, receiptReader: ReceiptReader, deliverSignal: WakeSignal

    private static let firstPage = 50

    private typealias Log = ConversationLog<MessageRecord>

    /// Fetches one missing page of a conversation.
    nonisolated(nonsending) func fetch(_ id: ConversationID) async {
        guard let entry = logs[id] else { return }
        let want = entry.log.want ?? .newest
        let request =
            switch want {
            case .newest: GetHistory(conversation: id, limit: HistoryPages.firstPage)
            case .after(let seq):
                GetHistory(conversation: id, limit: Limits.pageItems, position: .after(.seq(seq)))
            }
        do throws(ClientError) {
            handle(try await gateway.ask(request), of: id, for: want)
        } catch {
            if error.isLackOfAccess {
                conversationUpdates.remove(id)
            } else if var backoff = logs[id]?.backoff {
                var generator = SystemRandomNumberGenerator()
                let time = error.pause(from: .now, &backoff, using: &generator)
                logs.update(id) { entry in
                    entry.notBefore = time
                    entry.backoff = backoff
                }
            }
        }
    }

    private func handle(_ history: HistoryReply, of id: ConversationID, for want: Log.Want) {
        guard let entry = logs[id] else { return }
        let epoch = history.summary.epoch
        let isAnew = want == .newest && entry.log.epoch.map { $0 != epoch } ?? false
        if isAnew { conversationUpdates.begin(id, epoch: epoch) }
        let outcome = logs.update(id) { entry in
            let outcome = entry.log.merge(ConversationLog.Page(history, of: id), for: want)
            if history.summary.foundOldest, want == .newest { entry.start = .reached }
            return outcome
        }
        receiptReader.handle(history.messages, of: id)
        logs.update(id) { $0.statuses = .complete }
        if outcome?.isProgress == true || logs[id]?.log.want != want {
            logs.update(id) { entry in
                entry.notBefore = nil
                entry.backoff.reset()
            }
        } else {
            logs.update(id) { $0.notBefore = ContinuousClock.now + $0.backoff.next() }
        }
        if isAnew {
            // The statuses are requested again, after a growing pause in case epochs never end.
            progress.markMissed()
            logs.update(id) { $0.notBefore = ContinuousClock.now + $0.epochBackoff.next() }
        }
        deliverSignal.signal()
    }
}
