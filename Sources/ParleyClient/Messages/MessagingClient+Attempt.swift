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
            if known[conversation]?.object == nil { try await follow(conversation) }
            let members = known[conversation]?.members ?? []
            // What another process of the device has learned of a key holds here, too.
            refreshPeers()
            guard peers.book.blocked(for: members).isEmpty else { return .blocked }
            if let request = item.request { return await send(request, id, in: conversation) }

            for user in members where !freshness.isFresh(user, now: .now) { try await fetchKeys(of: user) }
            guard peers.book.blocked(for: members).isEmpty else { return .blocked }
            switch seal(draft, as: id, in: conversation) {
            case .failure(let obstacle):
                return obstacle.answer
            case .success(let request):
                try write { _ = try $0.setRequest(request, of: id) }
                return await send(request, id, in: conversation)
            }
        } catch {
            return SendAnswer(error)
        }
    }

    /// Seals a message for every device that is to open it.
    private func seal(
        _ draft: Draft, as id: MessageID, in conversation: ConversationID
    ) -> Result<[UInt8], Obstacle> {
        let members = known[conversation]?.members ?? []
        let isGroup = known[conversation]?.object?.type != .known(.direct)
        let suite = draft.suite ?? (isGroup ? .groupBox : .x25519AESGCM)
        let devices = peers.book.recipients(of: members, besides: device)
        guard devices.contains(where: { $0.device.user != device.user }) else {
            let others = members.filter { $0 != device.user }
            let reason = peers.book.unusable(of: others).isEmpty ? SetAsideReason.noRecipientKeys : .weakRecipientKey
            return .failure(Obstacle(answer: .impossible(reason)))
        }
        let header = MessageHeader(
            suite: suite, conversation: conversation, id: id, sender: device, type: draft.type.type,
            replyTo: draft.replyTo, expiresIn: draft.expiresIn)
        let recipients: Recipients =
            if !isGroup, suite != .groupBox, devices.count == 1, let only = devices.first {
                .one(only.key)
            } else {
                .devices(devices.map { ($0.device, $0.key) })
            }
        do throws(SealingFailure) {
            let sealed = try cipher.seal(draft.content, header, for: recipients)
            let message = SendMessage(
                id: id, conversation: conversation, type: draft.type, suite: suite, content: sealed.content,
                nonce: sealed.nonce, recipientKeys: sealed.recipientKeys, replyTo: draft.replyTo,
                expiresIn: draft.expiresIn, echoIsReply: true)
            return .success(message.payload())
        } catch {
            return .failure(Obstacle(error))
        }
    }

    /// Why a message cannot be sealed, or not now.
    private struct Obstacle: Error {
        let answer: SendAnswer

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

    /// Sends what was sealed, these very bytes each time.
    private func send(_ request: [UInt8], _ id: MessageID, in conversation: ConversationID) async -> SendAnswer {
        guard let message = SendMessage(request: request) else { return .impossible(.damaged) }
        do throws(RequestFailure) {
            let reply = try await connection.send(message, timeout: MessagingClient.answerTimeout)
            if let rejection = reply.rejection {
                return rejection.code == .conflict ? await lookUp(message, rejection) : .refused(rejection)
            }
            guard let data = reply.data, let sent = try? SentMessage(reading: data), sent.id == id else {
                return .unanswered(.malformedReply)
            }
            return .sent(sent)
        } catch {
            return .unanswered(error)
        }
    }

    /// The id is taken: perhaps by this very message, sealed before for other devices, whose answer was lost.
    private func lookUp(_ message: SendMessage, _ conflict: Rejection) async -> SendAnswer {
        let request = GetHistory(conversation: message.conversation, limit: 1, position: .around(.id(message.id)))
        do throws(ClientError) {
            let records = try await page(request).messages
            guard let record = records.first(where: { $0.id == message.id && $0.sender == device }) else {
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

extension SendMessage {
    /// Reads back what was kept to be repeated.
    fileprivate init?(request: [UInt8]) {
        guard let object = try? JSONObject(parsing: request),
            case .sendMessage(let message)? = try? Request(.sendMessage, object)
        else { return nil }
        self = message
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
            case .storage, .keys, .setAside, .timedOut, .queueFull, .noGateway, .noKeys, .content, .unknownMessage,
                .unknownConversation, .discarded:
                .notNow
            }
    }
}
