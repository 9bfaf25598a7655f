import ParleyDeviceStore
import ParleyProtocol

// The loops of a client: each waits for its bell and does what there is to do. They end when the scope of the client does.

extension MessagingClient {
    /// Runs until it is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.hear() }
            group.addTask { await self.fetchLoop() }
            group.addTask { await self.deliverLoop() }
            group.addTask { await self.sendLoop() }
            group.addTask { await self.receiptLoop() }
            group.addTask { await self.typingLoop() }
            group.addTask { await self.expiryLoop() }
        }
    }

    /// Takes up what an earlier client has left.
    func load() throws(ClientError) {
        let (kept, queued) = try read { (try $0.conversations(), try $0.queued()) }
        for state in kept {
            var conversation = FollowedConversation(state)
            // What an earlier version has believed.
            if let fault = conversation.object?.fault(for: device.user, known: nil) {
                conversation.object = nil
                keptFaults.append(fault)
            }
            known[state.id] = conversation
            if let mark = known[state.id]?.pendingRead {
                receipts.mark(ReceiptCoalescer.Key(kind: .read, conversation: state.id), mark)
            }
        }
        for item in queued where item.state == .pending {
            queue.insert(item.id, in: item.conversation, position: item.position)
            if let draft = item.content.flatMap({ Draft(payload: $0) }) { pendingChanges.add(item.id, draft) }
        }
        for id in known.keys { recount(id) }
        for conversation in known.values where conversation.isMember && conversation.isOpen {
            subscribe(to: conversation.id)
        }
        try loadUnopened()
        connection.subscribe(to: Topic.user(device.user, .events).name)
    }

    /// Ends what still waits, and closes the database.
    func close() {
        isClosed = true
        waiters.wakeAll()
        hub.finish()
        try? store.close()
    }

    // MARK: What the connection tells

    private func hear() async {
        for await event in connection.events {
            switch event {
            case .connected:
                progress.connected()
                queue.connected()
                freshness.disconnected()
                fetchPausedUntil = nil
                for id in known.keys { known[id]?.notBefore = nil }
                lacksSync = false
                watchAgain()
                hub.emit(.connected)
                for fault in keptFaults { tell(fault) }
                keptFaults.removeAll()
                ringAll()
            case .waiting(let trouble, _):
                progress.waits(trouble)
                typing.disconnected()
                presences.removeAll()
                typingSignals.removeAll()
                hub.emit(.waiting(trouble))
                waiters.wakeAll()
            case .subscribed:
                break
            case .subscriptionRefused(let filter):
                // The user is no member any more: the list says so. Of a conversation that is only being asked for, the
                // reply does.
                guard case .conversation(let id, _)? = Topic(filter), known[id]?.object != nil,
                    known[id]?.isMember == true, known[id]?.isOpen == true
                else { break }
                progress.missed()
                fetchBell.ring()
            case .message(let message):
                take(message)
            case .missed:
                progress.missed()
                fetchBell.ring()
            case .ended(let trouble):
                progress.ended(trouble)
                hub.emit(.ended(trouble))
                waiters.wakeAll()
            }
        }
    }

    private func ringAll() {
        for bell in [sendBell, fetchBell, deliverBell, receiptBell, typingBell, expiryBell] { bell.ring() }
    }

    private func take(_ message: DeviceMessage) {
        // What is no event of the protocol is nobody's.
        guard let topic = message.topic, let event = try? GatewayEvent(topic: topic, payload: message.payload) else {
            return
        }
        switch event {
        case .record(let record): arrived(record)
        case .receipt(let watermark): moved(watermark)
        case .typing(let indicator): if indicator.sender != device { hub.emit(.typing(indicator)) }
        case .conversationCreated(let conversation), .conversationUpdated(let conversation): learn(conversation)
        case .conversationRemoved(let id): removed(id)
        case .deviceRevoked(let revocation): keysChanged(of: revocation.device.user)
        case .deviceAdded(let addition): ownDeviceMade(addition.device)
        case .keysChanged(let user): keysChanged(of: user)
        case .deviceRenewed(let renewal): hub.emit(.deviceRenewed(renewal))
        case .conversationRead(let reading): learn(reading)
        case .conversationSettings(let settings): learn(settings)
        case .messageRequest(let request): arrived(request)
        case .friendAdded(let user): becameFriend(user)
        case .friendRemoved(let user): isNoFriend(user)
        case .userBlocked(let user): hub.emit(.userBlocked(user))
        case .userUnblocked(let user): hub.emit(.userUnblocked(user))
        case .presence(let update): take(update)
        case .linkApproved(let approval): take(approval)
        case .gatewayStatus, .linkOffered, .unknown: break
        }
    }

    // MARK: Waiting

    /// Waits until `condition` gives something.
    func wait<Value>(
        for subject: Waiters.Subject, until deadline: ContinuousClock.Instant? = nil,
        _ condition: () throws(ClientError) -> Value?
    ) async throws(ClientError) -> Value {
        let bell = Bell()
        waiters.add(bell, for: subject)
        defer { waiters.remove(bell, for: subject) }
        while true {
            if let value = try condition() { return value }
            guard !isClosed, !Task.isCancelled else { throw .cancelled }
            if let deadline, deadline <= .now { throw .timedOut(trouble: progress.trouble) }
            await bell.wait(until: deadline)
        }
    }

    /// Waits until the client is signed in, hears everything, has published its keys, and has all that was missed.
    ///
    /// - Throws: ``ClientError/timedOut(trouble:)``; ``ClientError/ended(_:)`` if there will be no connection.
    public func ready(timeout: Duration = .seconds(30)) async throws(ClientError) {
        try await wait(for: .ready, until: .now + timeout) { () throws(ClientError) -> Void? in
            if let trouble = progress.end { throw .ended(trouble) }
            return isCaughtUp ? () : nil
        }
    }

    var isCaughtUp: Bool {
        progress.isConnected && !progress.needsList && !progress.needsKeys
            && known.values.allSatisfy { !$0.isFollowed || $0.isSettled }
    }
}
