import ParleyProtocol

// What was missed, of all conversations at once: how far each is known goes to the gateway, and what follows comes back,
// part by part.

extension MessagingClient {
    /// More than so many conversations are listed, and their histories read: a request has room for 256 KiB of cursors.
    private static let mostCursors = 2000
    /// So many parts are read in a row: 2,000,000 records.
    private static let mostParts = 10_000
    /// How long parts wait for what came with those before to be kept.
    private static let patience: Duration = .seconds(60)

    /// Whether `sync/get` can tell what was missed.
    var canSync: Bool { configuration.follows == .all && !lacksSync && known.count <= MessagingClient.mostCursors }

    /// Brings every conversation up to date. What is new is subscribed to first and asked for once more, so that nothing
    /// falls between.
    ///
    /// - Returns: whether it was done; an older gateway has no such request.
    func sync() async throws(ClientError) -> Bool {
        var isNew = true
        var parts = 0
        while isNew {
            isNew = false
            var cursor: String?
            // Each that the user is in is told of. One without a message has no cursor that could be answered as left.
            var missing = Set(known.values.filter { $0.object != nil && $0.isMember && $0.isOpen }.map(\.id))
            var isDone = false
            while !isDone {
                let request = SyncRequest(cursors: cursors, cursor: cursor)
                guard let part = try await part(request) else { return false }
                parts += 1
                guard parts <= MessagingClient.mostParts else { throw refuse(.endless) }
                for id in part.left { removed(id) }
                // What came of an epoch that is over is kept first.
                if part.conversations.contains(where: isAnew) { try await awaitDelivery() }
                for synced in part.conversations {
                    missing.remove(synced.id)
                    if take(synced) { isNew = true }
                }
                // The next cursors stand behind what came.
                try await awaitDelivery()
                cursor = part.nextCursor
                isDone = part.isComplete && cursor == nil
                // The same question would have the same answer.
                guard isDone || request != SyncRequest(cursors: cursors, cursor: cursor) else { throw .malformedReply }
            }
            for id in missing { removed(id) }
        }
        return true
    }

    private func part(_ request: SyncRequest) async throws(ClientError) -> ReceivedSync? {
        do throws(ClientError) {
            return try await ask { (gateway) async throws(RequestError) in try await gateway.sync(request) }
        } catch {
            guard case .refused(let rejection) = error, rejection.code == .notFound else { throw error }
            lacksSync = true
            return nil
        }
    }

    /// How far each conversation is known. One of which nothing is kept yet comes with its newest.
    private var cursors: [ConversationID: SyncRequest.Cursor] {
        known.values.reduce(into: [:]) { cursors, entry in
            guard entry.isMember, entry.log.held != nil, let epoch = entry.log.epoch else { return }
            cursors[entry.id] = SyncRequest.Cursor(epoch: epoch, seq: entry.log.contiguousSeq)
        }
    }

    /// Whether the history of a conversation began anew since this device last heard of it.
    private func isAnew(_ synced: SyncedConversation) -> Bool {
        guard let epoch = known[synced.id]?.log.epoch else { return false }
        return epoch != synced.epoch
    }

    /// - Returns: whether it was not followed before.
    private func take(_ synced: SyncedConversation) -> Bool {
        let id = synced.id
        let isNew = synced.conversation.map { learn($0) } ?? false
        if isAnew(synced) { began(id, epoch: synced.epoch) }
        guard let old = known[id], old.isMember, old.isFollowed else { return isNew }
        known[id]?.log.learned(epoch: synced.epoch, lastSeq: synced.lastSeq)
        let isForLater = old.log.held == nil && synced.messages.isEmpty && synced.lastSeq > 0
        if synced.isRecovered, !isForLater {
            let page = ConversationLog<ReceivedRecord>.Page(
                epoch: synced.epoch, lastSeq: synced.lastSeq,
                records: synced.messages.filter { $0.conversation == id })
            let want: ConversationLog<ReceivedRecord>.Want =
                old.log.held == nil ? .newest : .after(old.log.contiguousSeq)
            _ = known[id]?.log.received(page, for: want)
        }
        let own = synced.watermarks[device.user]
        known[id]?.userDeliveredSeq = max(old.userDeliveredSeq, own?.delivered ?? 0)
        known[id]?.unread.counted(synced.unreadCount, readSeq: own?.read ?? 0, lastSeq: synced.lastSeq)
        known[id]?.preferences = synced.preferences
        for (user, marks) in synced.watermarks where user != device.user { known[id]?.reached.synced(user, marks) }
        known[id]?.statuses = .heard
        recount(id)
        keep(id)
        if old.preferences != synced.preferences { tell(id) { .conversationChanged($0) } }
        tellStatuses(of: id, since: old)
        deliverBell.ring()
        return isNew
    }

    /// Waits until what has come is kept, so that the next cursors stand behind it.
    private func awaitDelivery() async throws(ClientError) {
        do throws(ClientError) {
            try await wait(for: .delivered, until: .now + MessagingClient.patience) {
                known.values.allSatisfy { $0.log.ready(limit: 1).isEmpty && $0.delivery == .idle } ? () : nil
            }
        } catch {
            // A full disk: what waits is in memory, and counted in.
            guard case .timedOut = error else { throw error }
        }
    }
}
