import ArgumentParser
import ParleyClient
import ParleyProtocol

/// The outcome of a message that was sent.
enum Delivery: Sendable {
    case sent(SentMessage)
    case rejected(Rejection)
    /// The keys of this user have to be accepted first.
    case held(UserID)
    /// There was nothing to send: the message is deleted already.
    case unchanged
    /// Not in time.
    case unanswered
}

extension Delivery {
    /// Prints the reply, or reports why there is none.
    func report(to device: DeviceAddress, _ gateway: LocalGateway, by output: OutputOptions) throws {
        switch self {
        case .sent(let message):
            guard output.isJSON else {
                return Terminal.print("sent, number \(message.seq) in the conversation, id \(message.id)")
            }
            var writer = JSONWriter()
            Reply.writeAccepted(nil, to: &writer) { message.write(to: &$0) }
            Terminal.printJSON(writer.finish())
        case .rejected(let rejection):
            guard output.isJSON else { throw ToolError(rejection) }
            var writer = JSONWriter()
            Reply.writeRejected(nil, rejection, to: &writer)
            Terminal.printJSON(writer.finish())
            throw ExitCode(Status.rejected.rawValue)
        case .held(let user): throw ToolError(.rejected, user.heldSentence(for: device))
        case .unchanged: Terminal.report("it is deleted already; nothing was sent")
        case .unanswered:
            throw ToolError(
                .noAnswer,
                "no answer within \(gateway.timeout.components.seconds) seconds: it may have been sent or not")
        }
    }
}

extension CommonOptions {
    /// Sends a message by `send`, waits for the gateway, and prints its reply. `send` gives `nil` where there is
    /// nothing to change.
    func deliver(
        as sender: SenderOptions,
        _ send: @Sendable (MessagingClient) async throws -> (MessageID, ConversationID)?
    ) async throws {
        let gateway = gateway
        let delivery = try await signedIn(as: sender) { client in
            do {
                guard let (id, conversation) = try await send(client) else { return Delivery.unchanged }
                return try await client.delivery(of: id, in: conversation, timeout: gateway.timeout)
            } catch let error as ClientError {
                guard let rejection = error.rejection else { throw error }
                return .rejected(rejection)
            }
        }
        try delivery.report(to: sender.device(gateway), gateway, by: output)
    }
}

extension MessagingClient {
    /// Waits for the outcome of a message.
    nonisolated func delivery(
        of id: MessageID, in conversation: ConversationID, timeout: Duration
    ) async throws(ClientError) -> Delivery {
        // Before the keys are looked up, so that no change is missed.
        let events = events()
        if let user = await keys.heldUser(in: conversation) { return .held(user) }
        let result = await withTaskGroup(of: Result<Delivery, ClientError>?.self) { group in
            group.addTask {
                do throws(ClientError) {
                    return .success(.sent(try await self.outcome(of: id)))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                for await case .keys in events {
                    if let user = await self.keys.heldUser(in: conversation) { return .success(.held(user)) }
                }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .success(.unanswered)
            }
            defer { group.cancelAll() }
            for await result in group { if let result { return result } }
            return .success(.unanswered)
        }
        return try result.get()
    }
}

extension UserID {
    /// The report of a message that waits for this user's keys.
    func heldSentence(for sender: DeviceAddress) -> String {
        "nothing was sent: keys of \(self) were not accepted; \(acceptInstructions(for: sender))"
    }

    /// How to accept the keys of this user.
    func acceptInstructions(for device: DeviceAddress) -> String {
        "compare the safety number, then accept it with: parley accept-key --as \(device) --with \(self) NUMBER"
    }
}

extension ClientError {
    /// The gateway's refusal, if it is one.
    var rejection: Rejection? {
        switch self {
        case .refused(let rejection), .failed(.refused(let rejection)): rejection
        case .unanswered, .malformedReply, .gatewayFault, .account, .storage, .keys, .notAccepted, .noKeys, .noGateway,
            .content, .file, .queueFull,
            .unknownMessage, .notOwn, .unknownConversation, .failed, .discarded, .timedOut, .ended, .cancelled:
            nil
        }
    }

    /// Whether a retry may succeed: there is no connection, or no reply.
    var passes: Bool {
        switch self {
        case .unanswered, .timedOut: true
        case .refused, .failed, .malformedReply, .gatewayFault, .account, .storage, .keys, .notAccepted, .noKeys,
            .noGateway, .content, .file,
            .queueFull,
            .unknownMessage, .notOwn, .unknownConversation, .discarded, .ended, .cancelled:
            false
        }
    }
}
