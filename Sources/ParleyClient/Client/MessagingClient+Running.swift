import ParleyDeviceStore
import ParleyProtocol

// The life of a client: what an earlier one has left, its loops, its end.

extension MessagingClient {
    /// Runs the loops until it is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for loop in ClientLoop.allCases {
                group.addTask { await self.perform { await loop.run(in: $0) } }
            }
        }
    }

    /// Loads what an earlier client has left.
    func load() throws(ClientError) {
        let (kept, queued) = try context.disk.read { (try $0.conversations(), try $0.queued()) }
        for state in kept {
            context.logs.load(state)
            if let mark = context.logs[state.id]?.pendingRead { context.signals.mark(.read, state.id, mark) }
        }
        for item in queued where item.state == .pending {
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

    /// Ends what still waits, and closes the database.
    func close() {
        context.waiters.close()
        hub.finish()
        context.leaderboardReader.close()
        try? context.store.close()
    }

    /// Waits until the client is signed in, hears everything, has published its keys, and has all that was missed.
    ///
    /// - Throws: ``ClientError/timedOut(cause:)``; ``ClientError/ended(_:)`` if there will be no connection.
    public func ready(timeout: Duration = .seconds(30)) async throws(ClientError) {
        try await context.waiters.wait(for: .ready, until: .now + timeout) { () throws(ClientError) -> Void? in
            if let cause = context.progress.end { throw .ended(cause) }
            return context.isCaughtUp ? () : nil
        }
    }
}

/// The loops of a client: each waits for its signal and does what there is to do.
private enum ClientLoop: CaseIterable {
    case connectionEvents, catchUp, delivery, sending, receipts, typing, expiry, tokenRenewal, keptRequests,
        leaderboards, pushes

    nonisolated(nonsending) func run(in context: ClientContext) async {
        switch self {
        case .connectionEvents: await context.connectionEvents.run()
        case .catchUp: await context.catchUp.run()
        case .delivery: await context.delivery.run()
        case .sending: await context.sender.run()
        case .receipts: await context.receipts.run()
        case .typing: await context.typing.run()
        case .expiry: await context.expiry.run()
        case .tokenRenewal: await context.tokenRenewer.run()
        case .keptRequests: await context.keptRequests.run()
        case .leaderboards: await context.leaderboardReader.run()
        case .pushes: await context.pushes.run()
        }
    }
}
