import ParleyProtocol

struct ConnectionEvents {
    let context: ClientContext

    nonisolated(nonsending) func run() async {
        for await event in context.connection.events { handle(event) }
    }

    private func handle(_ event: DeviceEvent) {
        switch event {
        case .connected:
            handleConnected()
        case .waiting(let cause, _):
            context.progress.markWaiting(cause)
            context.signals.markDisconnected()
            context.hub.emit(.waiting(cause))
            context.waiters.wakeAll()
        case .subscribed:
            break
        case .subscriptionRefused(let filter):
            if case .group(let group, let channel)? = Topic(filter) {
                context.leaderboardReader.checkAccess(to: group, channel)
                break
            }
            // The user is perhaps no longer a member: the list shows it. While a conversation is being requested, the
            // reply shows it.
            guard case .conversation(let id, _)? = Topic(filter), let entry = context.logs[id], entry.object != nil,
                entry.isMember, entry.isOpen
            else { break }
            catchUp()
        case .message(let message):
            guard let topic = message.topic, let event = try? ReceivedEvent(topic: topic, payload: message.payload)
            else { return }
            handle(event)
        case .missed:
            catchUp()
        case .ended(let cause):
            context.progress.markEnded(cause)
            context.hub.emit(.ended(cause))
            context.waiters.wakeAll()
        }
    }

    private func handleConnected() {
        context.progress.markConnected()
        context.outbox.markConnected()
        context.uploads.markConnected()
        context.keyring.freshness.reset()
        context.fetchPacing.markConnected()
        context.requestPacing.markConnected()
        context.logs.markConnected()
        context.presence.watchAgain()
        context.boards.markConnected()
        context.activityWatch.watchAgain()
        context.hub.emit(.connected)
        for fault in context.logs.removeLoadedFaults() { context.gateway.report(fault) }
        context.wakeUps.signalAll()
    }

    /// Events were lost on the way here.
    private func catchUp() {
        context.progress.markMissed()
        context.wakeUps.fetch.signal()
        context.leaderboardReader.readAgain()
    }

    private func handle(_ event: ReceivedEvent) {
        switch event {
        case .record(let record): context.delivery.handle(record)
        case .receipt(let watermark): context.receiptReader.handle(watermark)
        case .typing(let indicator):
            if indicator.sender != context.device { context.hub.emit(.typing(indicator)) }
        case .conversation(let conversation): context.conversationUpdates.merge(conversation)
        case .conversationRemoved(let id):
            context.groupWatch.handleRemoval(of: id)
            context.conversationUpdates.remove(id)
        case .conversationRead(let reading): context.conversationUpdates.merge(reading)
        case .conversationSettings(let settings): context.conversationUpdates.merge(settings)
        case .deviceRevoked(let revocation): context.keyExchange.markChanged(revocation.device.user)
        case .deviceAdded(let addition): context.keyExchange.announce(addition.device)
        case .keysChanged(let user): context.keyExchange.markChanged(user)
        case .linkApproved(let approval):
            if context.keyring.link.handOver(approval, to: context.device) { context.waiters.wake(.link) }
        case .messageRequest(let request): context.messageRequestReader.handle(request)
        case .friendAdded(let notice):
            context.presence.befriend(notice.user)
            context.hub.emit(.gateway(notice))
            context.activityWatch.befriend(notice.user)
        case .friendRemoved(let notice):
            context.presence.unfriend(notice.user)
            context.hub.emit(.gateway(notice))
        case .presence(let update): context.presence.handle(update)
        case .push(let notification): context.pushes.handle(notification)
        case .groupJoined(let event): context.groupWatch.handle(event)
        case .groupUpdated(let event): context.groupWatch.handle(event)
        case .groupDeleted(let event): context.groupWatch.handle(event)
        case .leaderboard(let board): context.leaderboardReader.handle(board)
        case .other(let event): context.hub.emit(.gateway(event))
        case .ignored: break
        }
    }
}
