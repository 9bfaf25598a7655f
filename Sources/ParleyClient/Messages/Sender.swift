import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// Sends what waits in the ``Outbox``: one message after another, each sealed once and repeated until it is in the log.
struct Sender {
    let context: ClientContext

    /// Sends what can be sent, and waits for more.
    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            // The first message waits for this device's keys: without them nobody could open it.
            guard context.progress.isConnected, context.progress.hasPublished else {
                await context.wakeUps.send.wait()
                continue
            }
            context.keyExchange.releaseHeld()
            switch context.outbox.next(now: .now) {
            case .wait(let time):
                let isHeld = !context.outbox.waitingForKeys.isEmpty
                let look = isHeld ? ContinuousClock.now + KeyExchange.betweenLooks : nil
                await context.wakeUps.send.wait(until: [time, look].compactMap { $0 }.min())
            case .send(let id, let conversation):
                let answer = await SendAttempt(context: context, id: id, conversation: conversation).run()
                await handle(answer, of: id, in: conversation)
            }
        }
    }

    private nonisolated(nonsending) func handle(
        _ answer: SendAnswer, of id: MessageID, in conversation: ConversationID
    ) async {
        let log = context.logs[conversation]?.log
        let verdict = context.outbox.handle(
            answer, of: id, in: conversation, isHeld: { log?.holds($0.epoch, $0.seq) == true }, now: .now,
            using: &context.generator)
        switch verdict {
        case .done(let effects): context.outboxEffects.carryOut(effects)
        case .reseal(let difference): await reseal(id, in: conversation, difference)
        }
    }

    /// Forgets what was sealed for other devices than there are. Who is a member, and with which devices, is asked anew.
    private nonisolated(nonsending) func reseal(
        _ id: MessageID, in conversation: ConversationID, _ difference: Rejection.DeviceDifference?
    ) async {
        let members = context.logs.members(of: conversation)
        let recipients = context.keyring.book.recipients(of: members, besides: context.device)
        if context.outbox.recordRefusal(of: id, in: conversation, for: recipients) {
            context.report(.otherDevices(conversation))
        }
        let named = (difference?.missing ?? []) + (difference?.extra ?? [])
        for user in Set(named.map(\.user)).union(members) { context.keyring.freshness.markStale(user) }
        context.writeBestEffort { try $0.setRequest(nil, of: id) }
        // Should it fail, the next attempt meets the same refusal.
        let object = try? await context.ask(GetConversation(conversation: conversation))
        if let object { context.conversationUpdates.merge(object) }
    }
}

extension ClientContext {
    var sender: Sender { Sender(context: self) }
}

/// One attempt to send a message: the bytes that were sealed before, or sealed now.
struct SendAttempt {
    let context: ClientContext
    let id: MessageID
    let conversation: ConversationID

    /// How long one attempt waits for its answer.
    private static let answerTimeout: Duration = .seconds(30)

    nonisolated(nonsending) func run() async -> SendAnswer {
        do throws(ClientError) {
            let item = try context.read { try $0.queued(id) }
            guard let item, let draft = item.draft else { return .impossible(.damaged) }
            if draft.resending == .answer, !(try context.resending.isWorthSending(draft, in: conversation)) {
                return .impossible(.damaged)
            }
            if context.logs[conversation]?.object == nil { try await context.following.follow(conversation) }
            // A deletion holds nothing that anybody has to open.
            if draft.change?.kind == .delete { return await send(deletion(draft)) }
            // What another process of the device knows of a key holds here, too.
            context.keyExchange.refresh()
            guard !isHeld else { return .blocked }
            if let request = item.request { return await send(SealedDraft(request, draft), leavingOutFor: draft) }
            return try await sealAndSend(draft)
        } catch {
            return SendAnswer(error)
        }
    }

    /// Whether a key has to be accepted before anything is sent here.
    private var isHeld: Bool { context.keyExchange.heldUser(in: conversation) != nil }

    private nonisolated(nonsending) func sealAndSend(_ draft: Draft) async throws(ClientError) -> SendAnswer {
        let members = context.logs.members(of: conversation)
        for user in members where !context.keyring.freshness.isFresh(user, now: .now) {
            try await context.keyExchange.fetch(of: user)
        }
        guard !isHeld else { return .blocked }
        var sealed = seal(draft)
        if case .failure(let obstacle) = sealed, obstacle.isOfListing {
            // By a listing that may be over: a device is linked, or an account reset, right after it signed in.
            for user in members where user != context.device.user { try await context.keyExchange.fetch(of: user) }
            guard !isHeld else { return .blocked }
            sealed = seal(draft)
        }
        switch sealed {
        case .failure(let obstacle): return obstacle.answer
        case .success(let request):
            try context.write { _ = try $0.setRequest(request.request.payload(), of: id) }
            return await send(request, leavingOutFor: draft)
        }
    }

    // MARK: Sealing

    /// Seals a message for every device that is to open it.
    private func seal(_ draft: Draft) -> Result<SealedDraft, UnsealableError> {
        let entry = context.logs[conversation]
        let isGroup = entry?.object?.type != .known(.direct)
        let suite = draft.suite ?? (isGroup ? .groupBox : .x25519AESGCM)
        let devices = context.keyring.recipients(of: draft, among: entry?.members ?? [])
        guard devices.sealed.contains(where: { $0.device.user != context.device.user }) else {
            return .failure(UnsealableError(answer: .impossible(context.keyring.book.lack(of: devices))))
        }
        guard devices.sealed.count + devices.leftOut.count <= Limits.recipientKeys else {
            return .failure(UnsealableError(answer: .impossible(.tooManyDevices)))
        }
        let header = MessageHeader(
            suite: suite, conversation: conversation, id: id, sender: context.device, type: draft.type.type,
            replyTo: draft.replyTo, kind: draft.kind, target: draft.change?.target, expiresIn: draft.expiresIn)
        let recipients: Recipients =
            if !isGroup, suite != .groupBox, devices.leftOut.isEmpty, devices.sealed.count == 1,
                let only = devices.sealed.first
            {
                .one(only.key)
            } else {
                .devices(devices.sealed.map { ($0.device, $0.key) })
            }
        do throws(SealingError) {
            let sealed = try context.keyring.seal(draft.content, header, for: recipients)
            return .success(SealedDraft(sealed, header, draft, devices, echoIsReply: entry?.isOpen ?? true))
        } catch {
            return .failure(UnsealableError(error))
        }
    }

    private func deletion(_ draft: Draft) -> SealedDraft? {
        draft.change.map { change in
            .change(ChangeMessage(id: id, conversation: conversation, message: change.target, change: .delete))
        }
    }

    // MARK: Sending

    /// Sends what was sealed; whom it leaves out is reported once it is sent. Of what the client has written by itself
    /// nothing is reported.
    private nonisolated(nonsending) func send(_ sealed: SealedDraft?, leavingOutFor draft: Draft) async -> SendAnswer {
        context.outbox.leaveOut(draft.resending == nil ? sealed?.leftOut : nil, of: id)
        return await send(sealed)
    }

    /// Sends what was sealed, the very same each time.
    ///
    /// - Parameter sealed: `nil` for what cannot be read back.
    private nonisolated(nonsending) func send(_ sealed: SealedDraft?) async -> SendAnswer {
        guard let sealed else { return .impossible(.damaged) }
        do throws(NoReplyError) {
            switch sealed {
            case .message(let message):
                return await handle(try await context.connection.send(message, timeout: SendAttempt.answerTimeout))
            case .change(let change):
                let reply = try await context.connection.request(
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

    /// Another device of the user's was first: its record stands for this one, which never comes.
    private func handle(earlier deletion: SentMessage) -> SendAnswer {
        context.outboxEffects.carryOut(context.outbox.supersede(id))
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

    /// The id is taken: perhaps by this very message, sealed before for other devices, whose answer was lost.
    private nonisolated(nonsending) func lookUp(_ conflict: Rejection) async -> SendAnswer {
        let request = GetHistory(conversation: conversation, limit: 1, position: .around(.id(id)))
        do throws(ClientError) {
            let records = try await context.historyPages.page(request).messages
            guard let record = records.first(where: { $0.id == id && $0.sender == context.device }) else {
                return .refused(conflict)
            }
            return .sent(SentMessage(record))
        } catch {
            if case .refused(let rejection) = error, rejection.code == .notFound { return .refused(conflict) }
            return SendAnswer(error)
        }
    }
}

/// Why a message cannot be sealed, or not now.
private struct UnsealableError: Error {
    let answer: SendAnswer

    /// Whether it is said of devices that may be certified by now.
    var isOfListing: Bool { if case .impossible(.uncertifiedRecipients) = answer { true } else { false } }

    init(answer: SendAnswer) { self.answer = answer }

    init(_ failure: SealingError) {
        answer =
            switch failure {
            case .noRecipients: .impossible(.noRecipientKeys)
            case .tooManyRecipients: .impossible(.tooManyDevices)
            case .tooLarge(let maximum): .impossible(.contentTooLarge(maximum: maximum))
            case .weakKey: .impossible(.weakRecipientKey)
            case .needsRecipientKeys: .impossible(.damaged)
            case .unavailable: .notNow
            }
    }
}

extension SendAnswer {
    /// What went wrong before a message could be sent.
    fileprivate init(_ error: ClientError) {
        self =
            switch error {
            case .refused(let rejection): .refused(rejection)
            case .unanswered(let failure): .unanswered(failure)
            case .malformedReply: .unanswered(.malformedReply)
            case .ended(let cause): .unanswered(.ended(cause))
            case .cancelled: .unanswered(.cancelled)
            case .gatewayFault, .account, .storage, .keys, .notAccepted, .failed, .timedOut, .queueFull, .noGateway,
                .noKeys, .content,
                .unknownMessage,
                .notOwn, .unknownConversation, .discarded:
                .notNow
            }
    }
}
