import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

// One attempt to send a message: the bytes that were sealed before, or sealed now.

extension MessagingClient {
    /// How long one attempt waits for its answer.
    private static let answerTimeout: Duration = .seconds(30)

    func attemptToSend(_ id: MessageID, in conversation: ConversationID) async -> SendAnswer {
        do throws(ClientError) {
            let item = try read { try $0.queued(id) }
            guard let item, let draft = item.content.flatMap({ Draft(payload: $0) }) else {
                return .impossible(.damaged)
            }
            guard try isWorthSending(draft, in: conversation) else { return .impossible(.damaged) }
            if known[conversation]?.object == nil { try await follow(conversation) }
            // A deletion holds nothing that anybody has to open.
            if draft.change?.kind == .delete { return await send(deletion(draft, id, in: conversation)) }
            // What another process of the device has learned of a key holds here, too.
            refreshPeers()
            guard heldUser(in: conversation) == nil else { return .blocked }
            if let request = item.request {
                let sealed = SealedDraft(request, draft)
                leftOut[id] = draft.resending == nil ? sealed?.leftOut : nil
                return await send(sealed)
            }

            let members = known[conversation]?.members ?? []
            for user in members where !freshness.isFresh(user, now: .now) { try await fetchKeys(of: user) }
            guard heldUser(in: conversation) == nil else { return .blocked }
            var sealed = seal(draft, as: id, in: conversation)
            if case .failure(let obstacle) = sealed, obstacle.isOfListing {
                // By a listing that may be over: a device is linked, or an account reset, right after it signed in.
                for user in members where user != device.user { try await fetchKeys(of: user) }
                guard heldUser(in: conversation) == nil else { return .blocked }
                sealed = seal(draft, as: id, in: conversation)
            }
            switch sealed {
            case .failure(let obstacle):
                return obstacle.answer
            case .success(let request):
                try write { _ = try $0.setRequest(request.request.payload(), of: id) }
                leftOut[id] = draft.resending == nil ? request.leftOut : nil
                return await send(request)
            }
        } catch {
            return SendAnswer(error)
        }
    }

    /// Seals a message for every device that is to open it.
    private func seal(
        _ draft: Draft, as id: MessageID, in conversation: ConversationID
    ) -> Result<SealedDraft, Obstacle> {
        let members = known[conversation]?.members ?? []
        let isGroup = known[conversation]?.object?.type != .known(.direct)
        let suite = draft.suite ?? (isGroup ? .groupBox : .x25519AESGCM)
        var devices = peers.book.recipients(of: members, besides: device)
        // Without the account key a device knows of its own user's others only what the gateway says.
        if keys.accountKey == nil { devices.leaveOut(device.user) }
        if !draft.onlyFor.isEmpty {
            for user in Set(devices.sealed.map(\.device.user)).subtracting(draft.onlyFor) { devices.leaveOut(user) }
        }
        guard devices.sealed.contains(where: { $0.device.user != device.user }) else {
            return .failure(Obstacle(answer: .impossible(lackOfRecipients(devices))))
        }
        guard devices.sealed.count + devices.leftOut.count <= Limits.recipientKeys else {
            return .failure(Obstacle(answer: .impossible(.tooManyDevices)))
        }
        let header = MessageHeader(
            suite: suite, conversation: conversation, id: id, sender: device, type: draft.type.type,
            replyTo: draft.replyTo, kind: draft.kind, target: draft.change?.target, expiresIn: draft.expiresIn)
        let recipients: Recipients =
            if !isGroup, suite != .groupBox, devices.leftOut.isEmpty, devices.sealed.count == 1,
                let only = devices.sealed.first
            {
                .one(only.key)
            } else {
                .devices(devices.sealed.map { ($0.device, $0.key) })
            }
        do throws(SealingFailure) {
            let sealed = try cipher.seal(draft.content, header, for: recipients)
            let isOpen = known[conversation]?.isOpen ?? true
            return .success(SealedDraft(sealed, header, draft, devices, echoIsReply: isOpen))
        } catch {
            return .failure(Obstacle(error))
        }
    }

    /// Why there is nobody but the own user to seal for.
    private func lackOfRecipients(_ devices: PeerRecipients) -> SetAsideReason {
        let others = devices.leftOut.filter { $0.device.user != device.user }
        guard !others.isEmpty else { return .noRecipientKeys }
        let isWeak = others.allSatisfy { other in
            switch peers.book.fault(of: other.device) {
            case .weakKey?, .badSignature?, .listedTwice?: true
            case .uncertified?, .outdated?, .tooManyDevices?, nil: false
            }
        }
        return isWeak ? .weakRecipientKey : .uncertifiedRecipients
    }

    /// Why a message cannot be sealed, or not now.
    private struct Obstacle: Error {
        let answer: SendAnswer

        /// Whether it is said of devices that may be certified by now.
        var isOfListing: Bool { if case .impossible(.uncertifiedRecipients) = answer { true } else { false } }

        init(answer: SendAnswer) { self.answer = answer }

        init(_ failure: SealingFailure) {
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

    private func deletion(_ draft: Draft, _ id: MessageID, in conversation: ConversationID) -> SealedDraft? {
        draft.change.map { change in
            .change(ChangeMessage(id: id, conversation: conversation, message: change.target, change: .delete))
        }
    }

    /// Sends what was sealed, the very same each time.
    ///
    /// - Parameter sealed: `nil` for what cannot be read back.
    private func send(_ sealed: SealedDraft?) async -> SendAnswer {
        guard let sealed else { return .impossible(.damaged) }
        do throws(RequestFailure) {
            switch sealed {
            case .message(let message):
                let reply = try await connection.send(message, timeout: MessagingClient.answerTimeout)
                return await take(reply, message.id, in: message.conversation)
            case .change(let change):
                let reply = try await connection.request(
                    sealed.request.operation, payload: sealed.request.payload(),
                    timeout: MessagingClient.answerTimeout)
                if case .delete = change.change, let deletion = deletion(in: reply), deletion.id != change.id {
                    return alreadyDeleted(change.id, by: deletion)
                }
                return await take(reply, change.id, in: change.conversation)
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
    private func alreadyDeleted(_ id: MessageID, by deletion: SentMessage) -> SendAnswer {
        note { try $0.discard(id) }
        pendingChanges.remove(id)
        return .sent(SentMessage(id: id, epoch: deletion.epoch, seq: deletion.seq, createdAt: deletion.createdAt))
    }

    private func take(_ reply: GatewayReply, _ id: MessageID, in conversation: ConversationID) async -> SendAnswer {
        if let rejection = reply.rejection {
            return rejection.code == .conflict ? await lookUp(id, in: conversation, rejection) : .refused(rejection)
        }
        guard let data = reply.data, let sent = try? SentMessage(reading: data), sent.id == id else {
            return .unanswered(.malformedReply)
        }
        return .sent(sent)
    }

    /// The id is taken: perhaps by this very message, sealed before for other devices, whose answer was lost.
    private func lookUp(
        _ id: MessageID, in conversation: ConversationID, _ conflict: Rejection
    ) async -> SendAnswer {
        let request = GetHistory(conversation: conversation, limit: 1, position: .around(.id(id)))
        do throws(ClientError) {
            let records = try await page(request).messages
            guard let record = records.first(where: { $0.id == id && $0.sender == device }) else {
                return .refused(conflict)
            }
            return .sent(
                SentMessage(id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt))
        } catch {
            if case .refused(let rejection) = error, rejection.code == .notFound { return .refused(conflict) }
            return SendAnswer(error)
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
            case .ended(let trouble): .unanswered(.ended(trouble))
            case .cancelled: .unanswered(.cancelled)
            case .gatewayFault, .account, .storage, .keys, .notAccepted, .setAside, .timedOut, .queueFull, .noGateway,
                .noKeys, .content,
                .unknownMessage,
                .notOwn, .unknownConversation, .discarded:
                .notNow
            }
    }
}
