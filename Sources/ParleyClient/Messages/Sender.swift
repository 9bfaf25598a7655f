import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// Sends the messages of the ``Outbox`` one at a time: each is sealed once, and repeated until it is in the log.
struct Sender {
    let outbox: Outbox, logs: ConversationLogs, keyring: Keyring, progress: ConnectionProgress
    let device: DeviceAddress, gateway: GatewayAccess, disk: StoreAccess
    let conversationUpdates: ConversationUpdates, following: Following
    let keyExchange: KeyExchange, outboxEffects: OutboxEffects, resending: ResendExchange
    let sealer: DraftSealer, sendSignal: WakeSignal
    let uploads: Uploads, uploadSignals: [WakeSignal]

    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            // Without this device's published keys nobody could open its messages.
            guard progress.isConnected, progress.hasPublished else {
                await sendSignal.wait()
                continue
            }
            keyExchange.releaseHeld()
            switch outbox.next(now: .now) {
            case .wait(let time):
                let isHeld = !outbox.queue.waitingForKeys.isEmpty
                let look = isHeld ? ContinuousClock.now + KeyExchange.checkInterval : nil
                await sendSignal.wait(until: [time, look].compactMap { $0 }.min())
            case .send(let id, let conversation):
                let answer = await SendAttempt(sender: self, id: id, conversation: conversation).run()
                await handle(answer, of: id, in: conversation)
            }
        }
    }

    private nonisolated(nonsending) func handle(
        _ answer: SendAnswer, of id: MessageID, in conversation: ConversationID
    ) async {
        if case .refused(let rejection) = answer, rejection.code == .notFound, uploads.renew(id) {
            // The blob has expired while the message waited for a connection.
            outbox.withhold(id)
            disk.writeBestEffort { try $0.setUpload(.pending, of: id) }
            for signal in uploadSignals { signal.signal() }
            return
        }
        var generator = SystemRandomNumberGenerator()
        let log = logs[conversation]?.log
        let verdict = outbox.handle(
            answer, of: id, in: conversation, isHeld: { log?.holds($0.epoch, $0.seq) == true }, now: .now,
            using: &generator)
        switch verdict {
        case .done(let effects): outboxEffects.carryOut(effects)
        case .reseal(let difference): await reseal(id, in: conversation, difference)
        }
    }

    /// Drops a message's ciphertext for the wrong devices, and fetches the members and devices.
    private nonisolated(nonsending) func reseal(
        _ id: MessageID, in conversation: ConversationID, _ difference: Rejection.DeviceDifference?
    ) async {
        let members = logs.members(of: conversation)
        let recipients = keyring.book.recipients(of: members, besides: device)
        if outbox.recordRefusal(of: id, in: conversation, for: recipients) {
            gateway.report(.otherDevices(conversation))
        }
        let named = (difference?.missing ?? []) + (difference?.extra ?? [])
        for user in Set(named.map(\.user)).union(members) { keyring.freshness.markStale(user) }
        disk.writeBestEffort { try $0.setRequest(nil, of: id) }
        // After a failure the next attempt meets the same refusal.
        let object = try? await gateway.ask(GetConversation(conversation: conversation))
        if let object { conversationUpdates.merge(object) }
    }
}

/// One attempt to send a message, with the stored bytes, or sealed now.
struct SendAttempt {
    let sender: Sender
    let id: MessageID
    let conversation: ConversationID

    private static let answerTimeout: Duration = .seconds(30)

    nonisolated(nonsending) func run() async -> SendAnswer {
        do throws(ClientError) {
            let item = try sender.disk.read { try $0.queued(id) }
            guard let item, let draft = item.draft else { return .impossible(.damaged) }
            if draft.resending == .answer, !(try sender.resending.isWorthSending(draft, in: conversation)) {
                return .impossible(.damaged)
            }
            if sender.logs[conversation]?.object == nil { try await sender.following.follow(conversation) }
            // A deletion has no content to seal.
            if draft.change?.kind == .delete { return await send(.deletion(draft, id, in: conversation)) }
            // Another process of the device may have changed keys.
            sender.keyExchange.refresh()
            guard !isHeld else { return .blocked }
            if let request = item.request { return await send(SealedDraft(request, draft), leavingOutFor: draft) }
            return try await sealAndSend(draft)
        } catch {
            return SendAnswer(error)
        }
    }

    private var isHeld: Bool { sender.keyExchange.heldUser(in: conversation) != nil }

    private nonisolated(nonsending) func sealAndSend(_ draft: Draft) async throws(ClientError) -> SendAnswer {
        let members = sender.logs.members(of: conversation)
        for user in members where !sender.keyring.freshness.isFresh(user, now: .now) {
            try await sender.keyExchange.fetch(of: user)
        }
        guard !isHeld else { return .blocked }
        var sealed = sender.sealer.seal(draft, id, in: conversation)
        if case .failure(let obstacle) = sealed, obstacle.isOfListing {
            // The list may be outdated: a device is linked, or an account reset, right after it signed in.
            for user in members where user != sender.device.user { try await sender.keyExchange.fetch(of: user) }
            guard !isHeld else { return .blocked }
            sealed = sender.sealer.seal(draft, id, in: conversation)
        }
        switch sealed {
        case .failure(let obstacle): return obstacle.answer
        case .success(let request):
            try sender.disk.write { _ = try $0.setRequest(request.request.payload(), of: id) }
            return await send(request, leavingOutFor: draft)
        }
    }

    // MARK: Sending

    /// Sends a sealed message. The devices that it leaves out are reported once it is sent, unless the client wrote it
    /// by itself.
    private nonisolated(nonsending) func send(_ sealed: SealedDraft?, leavingOutFor draft: Draft) async -> SendAnswer {
        sender.outbox.leaveOut(draft.resending == nil ? sealed?.leftOut : nil, of: id)
        return await send(sealed)
    }

    /// Sends a sealed message, with the same bytes each time.
    ///
    /// - Parameter sealed: `nil` if it is unreadable.
    private nonisolated(nonsending) func send(_ sealed: SealedDraft?) async -> SendAnswer {
        guard let sealed else { return .impossible(.damaged) }
        do throws(NoReplyError) {
            switch sealed {
            case .message(let message):
                return await handle(
                    try await sender.gateway.connection.send(message, timeout: SendAttempt.answerTimeout))
            case .change(let change):
                let reply = try await sender.gateway.connection.request(
                    sealed.request.operation, payload: sealed.request.payload(),
                    timeout: SendAttempt.answerTimeout)
                if case .delete = change.change, let deletion = deletion(in: reply), deletion.id != id {
                    return handle(earlier: deletion)
                }
                return await handle(reply)
            }
        } catch {
            return .unanswered(error)
        }
    }

    private func deletion(in reply: GatewayReply) -> SentMessage? {
        guard reply.isAccepted, let data = reply.data else { return nil }
        return try? SentMessage(reading: data)
    }

    /// Another device of the user was first: its record stands for this one.
    private func handle(earlier deletion: SentMessage) -> SendAnswer {
        sender.outboxEffects.carryOut(sender.outbox.supersede(id))
        return .sent(SentMessage(id: id, epoch: deletion.epoch, seq: deletion.seq, createdAt: deletion.createdAt))
    }

    private nonisolated(nonsending) func handle(_ reply: GatewayReply) async -> SendAnswer {
        if let rejection = reply.rejection {
            return rejection.code == .conflict ? await lookUp(rejection) : .refused(rejection)
        }
        guard let data = reply.data, let sent = try? SentMessage(reading: data), sent.id == id else {
            return .unanswered(.malformedReply)
        }
        return .sent(sent)
    }

    /// The id is taken, perhaps by this very message, if an earlier answer was lost.
    private nonisolated(nonsending) func lookUp(_ conflict: Rejection) async -> SendAnswer {
        let request = GetHistory(conversation: conversation, limit: 1, position: .around(.id(id)))
        do throws(ClientError) {
            let records = try await sender.gateway.ask(request).messages
            guard let record = records.first(where: { $0.id == id && $0.sender == sender.device }) else {
                return .refused(conflict)
            }
            return .sent(SentMessage(record))
        } catch {
            if case .refused(let rejection) = error, rejection.code == .notFound { return .refused(conflict) }
            return SendAnswer(error)
        }
    }
}

extension SendAnswer {
    /// An error before or during sending.
    fileprivate init(_ error: ClientError) {
        self =
            switch error {
            case .refused(let rejection): .refused(rejection)
            case .unanswered(let failure): .unanswered(failure)
            case .malformedReply: .unanswered(.malformedReply)
            case .ended(let cause): .unanswered(.ended(cause))
            case .cancelled: .unanswered(.cancelled)
            case .file, .gatewayFault, .account, .storage, .keys, .notAccepted, .failed, .timedOut, .queueFull,
                .noGateway,
                .noKeys, .content,
                .unknownMessage,
                .notOwn, .unknownConversation, .discarded:
                .notNow
            }
    }
}
