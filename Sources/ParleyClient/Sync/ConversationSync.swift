import ParleyProtocol

/// Fetches missed records of all conversations at once with `sync/get`: the client sends its positions, and gets what
/// follows them, in parts.
struct ConversationSync {
    let logs: ConversationLogs, fetchPacing: FetchPacing, waiters: Waiters
    let configuration: ClientConfiguration, device: DeviceAddress, gateway: GatewayAccess
    let conversationUpdates: ConversationUpdates, receiptReader: ReceiptReader, deliverSignal: WakeSignal

    /// The most positions in a request, which has room for 256 KiB of them. With more conversations, lists and
    /// histories are read instead.
    private static let mostCursors = 2000
    /// The most successive parts: 2,000,000 records.
    private static let mostParts = 10_000
    /// The longest wait until earlier parts are stored.
    private static let patience: Duration = .seconds(60)

    /// Whether `sync/get` covers all conversations.
    var isPossible: Bool {
        configuration.follows == .all && !fetchPacing.lacksSync && logs.all.count <= ConversationSync.mostCursors
    }

    /// Brings every conversation up to date. New ones are subscribed to first and synchronized again, so that no
    /// message is missed between.
    ///
    /// - Returns: `false` if the gateway has no such request.
    nonisolated(nonsending) func run() async throws(ClientError) -> Bool {
        var isNew = true
        var parts = 0
        while isNew {
            isNew = false
            var cursor: String?
            // Every conversation of the user is listed. One without messages has no position, and is not reported as
            // left.
            var missing = logs.listed
            var isDone = false
            while !isDone {
                let request = SyncRequest(cursors: logs.cursors, cursor: cursor)
                guard let part = try await part(request) else { return false }
                parts += 1
                guard parts <= ConversationSync.mostParts else { throw gateway.report(.endless) }
                for id in part.left { conversationUpdates.remove(id) }
                // Records of the old epoch are stored first.
                if part.conversations.contains(where: isAnew) { try await awaitDelivery() }
                for synced in part.conversations {
                    missing.remove(synced.id)
                    if handle(synced) { isNew = true }
                }
                // The next positions include these records.
                try await awaitDelivery()
                cursor = part.nextCursor
                isDone = part.isComplete && cursor == nil
                // The same request would have the same answer.
                guard isDone || request != SyncRequest(cursors: logs.cursors, cursor: cursor) else {
                    throw .malformedReply
                }
            }
            for id in missing { conversationUpdates.remove(id) }
        }
        return true
    }

    private nonisolated(nonsending) func part(_ request: SyncRequest) async throws(ClientError) -> SyncReply? {
        do throws(ClientError) {
            return try await gateway.ask(request)
        } catch {
            guard case .refused(let rejection) = error, rejection.code == .notFound else { throw error }
            fetchPacing.recordLackOfSync()
            return nil
        }
    }

    /// Whether a conversation has a new epoch since the last synchronization.
    private func isAnew(_ synced: SyncedConversation) -> Bool {
        guard let epoch = logs[synced.id]?.log.epoch else { return false }
        return epoch != synced.epoch
    }

    /// - Returns: whether it was not followed before.
    private func handle(_ synced: SyncedConversation) -> Bool {
        let id = synced.id
        let isNew = synced.conversation.map { conversationUpdates.merge($0) } ?? false
        if isAnew(synced) { conversationUpdates.begin(id, epoch: synced.epoch) }
        guard let old = logs[id], old.isMember, old.isFollowed else { return isNew }
        let user = device.user
        logs.update(id) { $0.merge(synced, own: user) }
        conversationUpdates.recount(id)
        conversationUpdates.save(id)
        if old.preferences != synced.preferences { conversationUpdates.emit(id) { .conversationChanged($0) } }
        receiptReader.emitStatuses(of: id, since: old)
        deliverSignal.signal()
        return isNew
    }

    /// Waits until the records are stored, so that the next positions include them.
    private nonisolated(nonsending) func awaitDelivery() async throws(ClientError) {
        do throws(ClientError) {
            try await waiters.wait(for: .delivered, until: .now + ConversationSync.patience) {
                logs.isDelivered ? () : nil
            }
        } catch {
            // With a full disk the records are in memory, and count.
            guard case .timedOut = error else { throw error }
        }
    }
}

extension FollowedConversation {
    /// Merges a synchronized conversation of the present epoch.
    ///
    /// - Parameter user: the device's own.
    fileprivate mutating func merge(_ synced: SyncedConversation, own user: UserID) {
        let isEmpty = log.held == nil
        let want: ConversationLog<MessageRecord>.Want = isEmpty ? .newest : .after(log.contiguousSeq)
        log.recordEnd(epoch: synced.epoch, lastSeq: synced.lastSeq)
        let isForLater = isEmpty && synced.messages.isEmpty && synced.lastSeq > 0
        if synced.isRecovered, !isForLater {
            let records = synced.messages.filter { $0.conversation == id }
            _ = log.merge(
                ConversationLog.Page(epoch: synced.epoch, lastSeq: synced.lastSeq, records: records), for: want)
        }
        let own = synced.watermarks[user]
        userDeliveredSeq = max(userDeliveredSeq, own?.delivered ?? 0)
        unread.setCount(synced.unreadCount, readSeq: own?.read ?? 0, lastSeq: synced.lastSeq)
        preferences = synced.preferences
        for (member, marks) in synced.watermarks where member != user { reached.merge(member, marks) }
        statuses = .complete
    }
}
