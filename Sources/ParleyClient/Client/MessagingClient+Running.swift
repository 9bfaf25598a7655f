import ParleyDeviceStore
import ParleyProtocol

// The life of a client: its stored state, its loops, its end.

extension MessagingClient {
    func run() async {
        await withDiscardingTaskGroup { group in
            for loop in clientLoops { group.addTask { await self.perform(loop) } }
        }
    }

    func load() throws(ClientError) {
        let (kept, queued) = try context.disk.read { (try $0.conversations(), try $0.queued()) }
        for state in kept {
            context.logs.load(state)
            if let mark = context.logs[state.id]?.pendingRead { context.signals.mark(.read, state.id, mark) }
        }
        let uploading = try context.uploadLoading.load(queued)
        for item in queued where item.state == .pending && !uploading.contains(item.id) {
            context.outbox.insert(item.id, in: item.conversation, position: item.position, item.draft)
        }
        for conversation in Array(context.logs.all) { context.conversationUpdates.recount(conversation.id) }
        for conversation in Array(context.logs.all) where conversation.isMember && conversation.isOpen {
            context.conversationUpdates.subscribe(to: conversation.id)
        }
        try context.reopening.load()
        for channel in [UserChannel.events, .notifications] {
            context.connection.subscribe(to: Topic.user(device.user, channel).name)
        }
    }

    func close() {
        context.waiters.close()
        context.uploads.close()
        context.fetches.close()
        hub.finish()
        context.boards.close()
        try? context.store.close()
    }

    /// Waits until the client is signed in and subscribed, has published its keys, and has fetched what it missed.
    ///
    /// - Throws: ``ClientError/timedOut(cause:)``; ``ClientError/ended(_:)`` if there will be no connection.
    public func ready(timeout: Duration = .seconds(30)) async throws(ClientError) {
        try await context.waiters.wait(for: .ready, until: .now + timeout) { () throws(ClientError) -> Void? in
            if let cause = context.progress.end { throw .ended(cause) }
            return context.isCaughtUp ? () : nil
        }
    }
}

/// Each waits for its signal and does what is due.
private let clientLoops: [nonisolated(nonsending) @Sendable (ClientContext) async -> Void] = [
    { await ConnectionEvents(context: $0).run() }, { await $0.catchUp.run() }, { await $0.delivery.run() },
    { await $0.sender.run() }, { await $0.receipts.run() }, { await $0.typing.run() }, { await $0.expiry.run() },
    { await $0.tokenRenewer.run() }, { await $0.keptRequests.run() }, { await $0.leaderboardReader.run() },
    { await $0.pushes.run() }, { await $0.uploadSender.run($0.wakeUps.uploads[0]) },
    { await $0.uploadSender.run($0.wakeUps.uploads[1]) }, { await $0.door?.run() },
]
