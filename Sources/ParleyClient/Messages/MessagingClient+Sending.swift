import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

// What is to be sent: kept, sealed once, and repeated until it stands in the log.

extension MessagingClient {
    /// How often it is looked whether another process has accepted a key.
    static let betweenLooks: Duration = .seconds(2)

    /// Takes up a message to be sent. It is kept on the device when this returns, and sent as soon as it can be: after
    /// those written before it in its conversation.
    ///
    /// - Parameters:
    ///   - expiresIn: after so many whole seconds, 1 to 31,536,000, the message goes, on every device.
    ///   - suite: how it is sealed; `nil` for the usual one: `x25519-hkdf-sha256-aes256gcm`, in groups `group-box`.
    /// - Throws: ``ClientError/content(_:)`` for what cannot be sent as it is, ``ClientError/queueFull``,
    ///   ``ClientError/storage(_:)``.
    /// - Returns: its id, by which ``outcome(of:)`` and the events tell what becomes of it.
    public func send(
        _ content: MessageContent, to conversation: ConversationID, replyTo: MessageID? = nil, expiresIn: Int? = nil,
        suite: Suite? = nil
    ) throws(ClientError) -> MessageID {
        if let expiresIn, !Limits.expirySeconds.contains(expiresIn) { throw .content(.invalid("expires_in")) }
        let (type, json) = try encoded(content)
        let draft = Draft(
            type: type, content: json, replyTo: replyTo, expiresIn: expiresIn, suite: suite, writtenAt: .now)
        let id = try enqueue(draft, in: conversation)
        if let signal = typing.stop(conversation) { say(signal) }
        hub.emit(.message(chatMessage(id, conversation, draft, .queued)))
        return id
    }

    /// Puts something into the queue on disk.
    func enqueue(_ draft: Draft, in conversation: ConversationID) throws(ClientError) -> MessageID {
        guard !queue.isFull else { throw .queueFull }
        let id = MessageID.random()
        let item = try write { transaction in
            try transaction.enqueue(id, in: conversation, content: draft.payload)
            return try transaction.facts.queued(id)
        }
        queue.insert(id, in: conversation, position: item?.position ?? .max)
        pendingChanges.add(id, draft)
        sendBell.ring()
        return id
    }

    func encoded(_ content: MessageContent) throws(ClientError) -> (MessageType.Sendable, [UInt8]) {
        do throws(ContentError) {
            let json = try content.encoded()
            guard let type = content.type else { throw .unknownType("") }
            return (type, json)
        } catch {
            throw .content(error)
        }
    }

    /// Waits until a message stands in the gateway's log.
    ///
    /// - Throws: ``ClientError/setAside(_:)``, ``ClientError/discarded``, ``ClientError/unknownMessage(_:)``. Without a
    ///   connection it waits for one.
    public func outcome(of id: MessageID) async throws(ClientError) -> SentMessage {
        try await wait(for: .outcome(id)) { () throws(ClientError) -> SentMessage? in
            if let outcome = sent[id] { return try outcome.get() }
            if let trouble = progress.end { throw .ended(trouble) }
            return queue.contains(id) ? nil : try keptOutcome(of: id)
        }
    }

    /// What became of a message of an earlier life of this client.
    private func keptOutcome(of id: MessageID) throws(ClientError) -> SentMessage? {
        let ids = Array(known.keys)
        let (item, message) = try read { snapshot in
            (try snapshot.queued(id), try ids.lazy.compactMap { try snapshot.message(id, in: $0) }.first)
        }
        if case .setAside(let reason)? = item?.state { throw .setAside(SetAsideReason(kept: reason)) }
        guard case .whole(let stored)? = message, let kept = KeptMessage(stored) else {
            guard item != nil else { throw .unknownMessage(id) }
            return nil
        }
        return SentMessage(
            id: id, epoch: kept.record.epoch, seq: kept.record.seq, createdAt: kept.record.createdAt)
    }

    // MARK: One after another

    func sendLoop() async {
        while !Task.isCancelled {
            // The first message waits for this device's keys: without them nobody could open it.
            guard progress.isConnected, progress.hasPublished else {
                await sendBell.wait()
                continue
            }
            releaseHeld()
            switch queue.next(now: .now) {
            case .wait(let time):
                let look = queue.waitingForKeys.isEmpty ? nil : ContinuousClock.now + MessagingClient.betweenLooks
                await sendBell.wait(until: [time, look].compactMap { $0 }.min())
            case .send(let id, let conversation):
                let answer = await attemptToSend(id, in: conversation)
                await take(answer, of: id, in: conversation)
            }
        }
    }

    private func take(_ answer: SendAnswer, of id: MessageID, in conversation: ConversationID) async {
        switch queue.answered(answer, now: .now, using: &generator) {
        case .sent(let message):
            let ownSeq = max(known[conversation]?.ownSeq ?? 0, message.seq)
            known[conversation]?.ownSeq = ownSeq
            expect(message, in: conversation)
            sent.note(id, .success(message))
            hub.emit(.status(id, in: conversation, .sent))
            tellLeftOut(id, in: conversation)
            waiters.wake(.outcome(id))
        case .reseal(let difference):
            await reseal(id, in: conversation, difference)
        case .wait:
            break
        case .setAside(let reason):
            setAside(id, in: conversation, reason)
        }
    }

    /// A message was sent: says whom it has left out, once.
    func tellLeftOut(_ id: MessageID, in conversation: ConversationID) {
        guard let devices = leftOut.removeValue(forKey: id), !devices.isEmpty else { return }
        hub.emit(.leftOut(id, in: conversation, devices))
    }

    private func setAside(_ id: MessageID, in conversation: ConversationID, _ reason: SetAsideReason) {
        leftOut[id] = nil
        if let draft = pendingChanges.draft(id), draft.resending != nil {
            pendingChanges.remove(id)
            note { try $0.discard(id) }
            return resendingEnded(draft)
        }
        note { try $0.setAside(id, reason: reason.kept) }
        sent.note(id, .failure(.setAside(reason)))
        hub.emit(.setAside(id, in: conversation, reason))
        withdrawn(id, in: conversation)
        waiters.wake(.outcome(id))
    }

    /// Forgets what was sealed for other devices than there are. Who is a member, and with which devices, is asked anew.
    private func reseal(
        _ id: MessageID, in conversation: ConversationID, _ difference: Rejection.DeviceDifference?
    ) async {
        noteRefusal(of: id, in: conversation)
        let named = (difference?.missing ?? []) + (difference?.extra ?? [])
        for user in Set(named.map(\.user)).union(known[conversation]?.members ?? []) { freshness.isStale(user) }
        note { try $0.setRequest(nil, of: id) }
        // Should it fail, the next attempt meets the same refusal.
        let object = try? await ask { (gateway) async throws(RequestError) in
            try await gateway.conversation(conversation)
        }
        if let object { learn(object) }
    }
}
