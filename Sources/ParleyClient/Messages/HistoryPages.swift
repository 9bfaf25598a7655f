import Platform
import ParleyDeviceStore
import ParleyProtocol

/// Fetches pages of history that are missing.
struct HistoryPages {
    let context: ClientContext

    private static let firstPage = 50

    private typealias Log = ConversationLog<MessageRecord>

    nonisolated(nonsending) func page(_ request: GetHistory) async throws(ClientError) -> HistoryReply {
        try await context.ask(request)
    }

    /// Fetches one page of what is missing of a conversation.
    nonisolated(nonsending) func fetch(_ id: ConversationID) async {
        guard let entry = context.logs[id] else { return }
        let want = entry.log.want ?? .newest
        let request =
            switch want {
            case .newest: GetHistory(conversation: id, limit: HistoryPages.firstPage)
            case .after(let seq):
                GetHistory(conversation: id, limit: Limits.pageItems, position: .after(.seq(seq)))
            }
        do throws(ClientError) {
            handle(try await page(request), of: id, for: want)
        } catch {
            if error.isLackOfAccess {
                context.conversationUpdates.remove(id)
            } else if var backoff = context.logs[id]?.backoff {
                let time = context.pause(after: error, &backoff)
                postpone(id) { entry in
                    entry.notBefore = time
                    entry.backoff = backoff
                }
            }
        }
    }

    private func postpone(_ id: ConversationID, _ body: (inout FollowedConversation) -> Void) {
        context.logs.update(id, body)
    }

    private func handle(_ history: HistoryReply, of id: ConversationID, for want: Log.Want) {
        guard let entry = context.logs[id] else { return }
        let epoch = history.summary.epoch
        let isAnew = want == .newest && entry.log.epoch.map { $0 != epoch } ?? false
        if isAnew { context.conversationUpdates.begin(id, epoch: epoch) }
        let outcome = context.logs.update(id) { entry in
            let outcome = entry.log.merge(ConversationLog.Page(history, of: id), for: want)
            if history.summary.foundOldest, want == .newest { entry.start = .reached }
            return outcome
        }
        context.receiptReader.handle(history.messages, of: id)
        context.logs.update(id) { $0.statuses = .complete }
        if outcome?.isProgress == true || context.logs[id]?.log.want != want {
            postpone(id) { entry in
                entry.notBefore = nil
                entry.backoff.reset()
            }
        } else {
            postpone(id) { $0.notBefore = ContinuousClock.now + $0.backoff.next(using: &context.generator) }
        }
        if isAnew {
            // How far everybody has come is asked for; not again and again at once, should epochs never end.
            context.progress.markMissed()
            postpone(id) { $0.notBefore = ContinuousClock.now + $0.epochBackoff.next(using: &context.generator) }
        }
        context.wakeUps.deliver.signal()
    }
}

extension ClientContext {
    var historyPages: HistoryPages { HistoryPages(context: self) }
}
