import ParleyProtocol

/// Receives what the connection brings, and hands each event to the part that it is for.
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
            // The user is no member any more: the list says so. Of a conversation that is only being asked for, the
            // reply does.
            guard case .conversation(let id, _)? = Topic(filter), let entry = context.logs[id], entry.object != nil,
                entry.isMember, entry.isOpen
            else { break }
            catchUp()
        case .message(let message):
            // What is no event of the protocol is nobody's.
            guard let topic = message.topic, let event = try? GatewayEvent(topic: topic, payload: message.payload)
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
        context.keyring.freshness.reset()
        context.fetchPacing.markConnected()
        context.requestPacing.markConnected()
        context.logs.markConnected()
        context.presence.watchAgain()
        context.boards.markConnected()
        context.activityWatch.watchAgain()
        context.hub.emit(.connected)
        for fault in context.logs.removeLoadedFaults() { context.report(fault) }
        context.wakeUps.signalAll()
    }

    /// Something was lost on the way here.
    private func catchUp() {
        context.progress.markMissed()
        context.wakeUps.fetch.signal()
        context.leaderboardReader.readAgain()
    }

    private func handle(_ event: GatewayEvent) {
        switch event {
        case .record(let record): context.delivery.handle(record)
        case .receipt(let watermark): context.receiptReader.handle(watermark)
        case .typing(let indicator):
            if indicator.sender != context.device { context.hub.emit(.typing(indicator)) }
        case .conversationCreated(let conversation), .conversationUpdated(let conversation):
            context.conversationUpdates.merge(conversation)
        case .conversationRemoved(let id):
            context.groupWatch.handleRemoval(of: id)
            context.conversationUpdates.remove(id)
        case .deviceRevoked(let revocation): context.keyExchange.markChanged(revocation.device.user)
        case .deviceAdded(let addition): context.keyExchange.announce(addition.device)
        case .keysChanged(let user): context.keyExchange.markChanged(user)
        case .deviceRenewed(let renewal): context.hub.emit(.deviceRenewed(renewal))
        case .pushEnded(let end): context.hub.emit(.pushEnded(end))
        case .conversationRead(let reading): context.conversationUpdates.merge(reading)
        case .conversationSettings(let settings): context.conversationUpdates.merge(settings)
        case .messageRequest(let request): context.messageRequestReader.handle(request)
        case .friendAdded(let user):
            context.presence.befriend(user)
            context.activityWatch.befriend(user)
        case .friendRemoved(let user): context.presence.unfriend(user)
        case .userBlocked(let user): context.hub.emit(.userBlocked(user))
        case .userUnblocked(let user): context.hub.emit(.userUnblocked(user))
        case .notification(let notification): context.hub.emit(.notification(.new(notification)))
        case .push(let notification): context.pushes.handle(notification)
        case .notificationsCleared(let cleared): context.hub.emit(.notification(.cleared(cleared)))
        case .activity(let item): context.hub.emit(.activity(.new(item)))
        case .activityReaction(let reaction): context.hub.emit(.activity(.reaction(reaction)))
        case .presence(let update): context.presence.handle(update)
        case .linkApproved(let approval):
            if context.keyring.link.handOver(approval, to: context.device) { context.waiters.wake(.link) }
        case .leaderboard(let board): context.leaderboardReader.handle(board)
        case .challengeUpdated(let challenge): context.hub.emit(.challengeUpdated(challenge))
        case .group(let event): context.groupWatch.handle(event)
        case .weekEnded(let end): context.hub.emit(.weekEnded(end))
        case .gatewayStatus, .linkOffered, .unknown: break
        }
    }
}

extension ClientContext {
    var connectionEvents: ConnectionEvents { ConnectionEvents(context: self) }
}
