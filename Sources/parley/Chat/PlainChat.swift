import ParleyClient
import ParleyProtocol

/// Runs a chat without a terminal: a message from each line that is read, a line for each message of the conversation.
struct PlainChat: Sendable {
    let client: MessagingClient
    let gateway: LocalGateway
    let target: ChatTarget

    /// The most messages that wait for their replies.
    private static let mostWaiting = 64

    private enum Happening: Sendable {
        case client(ClientEvent)
        /// The input has ended, and the gateway has all of it; or the error.
        case spoken((any Error)?)
    }

    func run() async throws {
        let events = client.events()
        try await client.ready(timeout: gateway.timeout)
        let conversation = try await find()
        var follower = ConversationFollower(
            client: client, only: conversation.id, print: { Terminal.print($0.chatLine) },
            printEarlier: { run, _ in
                let stamp = run.newest.map { TimeZone.local.civil($0).stamp + " " } ?? ""
                Terminal.print("\(stamp)(\(run.sentence))")
            })
        try await follower.begin(history: 0)
        let book = await TitleBook(of: client)
        try await withThrowingTaskGroup { group in
            let (happenings, post) = AsyncStream.makeStream(of: Happening.self)
            group.addTask { for await event in events { post.yield(.client(event)) } }
            group.addTask {
                do {
                    try await speak(in: conversation)
                    post.yield(.spoken(nil))
                } catch { post.yield(.spoken(error)) }
            }
            defer { group.cancelAll() }
            try await listen(to: happenings, in: conversation.id, &follower, book)
        }
        // Messages that came with the last reply.
        try await follower.printHistory()
    }

    private func find() async throws -> ConversationSummary {
        switch target {
        case .user(let other): try await client.conversation(with: other)
        case .named(let name): try await client.conversation(client.conversationID(named: name))
        case .list: throw ToolError(.usage, "--with or --conversation says with whom")
        }
    }

    private func listen(
        to happenings: AsyncStream<Happening>, in conversation: ConversationID, _ follower: inout ConversationFollower,
        _ book: TitleBook
    ) async throws {
        for await happening in happenings {
            switch happening {
            case .client(let event):
                try await follower.handle(event)
                book.add(event)
                try await handle(event, in: conversation, book.titles)
            case .spoken(let error?): throw error
            case .spoken(nil): return
            }
        }
    }

    /// Sends each line of the input, and waits for the replies.
    private func speak(in conversation: ConversationSummary) async throws {
        var waiting: [MessageID] = []
        var hasSaidSlowly = false
        for try await line in StandardInput.lines() where line.contains(where: { !$0.isWhitespace }) {
            waiting.append(try await client.send(.text(line), to: conversation.id))
            if waiting.count > PlainChat.mostWaiting {
                if !hasSaidSlowly { Terminal.report("many lines wait; they are sent as fast as the gateway allows") }
                hasSaidSlowly = true
                try await awaitDelivery(of: waiting.removeFirst(), in: conversation)
            }
        }
        for id in waiting { try await awaitDelivery(of: id, in: conversation) }
    }

    private func handle(_ event: ClientEvent, in conversation: ConversationID, _ titles: Titles) async throws {
        switch event {
        case .messageAdded(let message), .messageChanged(let message):
            guard message.conversation == conversation, message.position != nil,
                message.sender.user != client.device.user
            else { return }
            try await client.markRead(conversation, upTo: message.id)
        case .waiting(let cause): Terminal.report("\(gateway.sentence(cause, client.device)); trying again")
        case .ended(let cause): throw ToolError(.noAnswer, gateway.sentence(cause, client.device))
        case .failed(_, let other, let reason) where other == conversation:
            Terminal.report("not sent: \(gateway.failure(of: .failed(reason), client.device).message)")
        case .storageFailed(let error): Terminal.report("\(error)")
        case .connected, .gateway, .status, .change, .messageRemoved, .receipt, .typing, .conversationAdded,
            .conversationChanged, .conversationRemoved, .messageRequest, .dayReported, .workoutReported, .presence,
            .push, .failed, .historyReset, .missed, .keys, .leftOut, .gatewayFault, .membersChanged, .resendRequested,
            .resent, .tokenNotRenewed, .requestRefused, .upload:
            if let line = event.warning(for: client.device, titles) { Terminal.report(line) }
        }
    }

    private func awaitDelivery(of id: MessageID, in conversation: ConversationSummary) async throws {
        switch try await client.delivery(of: id, in: conversation.id, timeout: gateway.timeout) {
        case .sent, .unchanged: break
        case .rejected(let rejection): throw gateway.failure(of: .refused(rejection), client.device)
        case .held(let user): throw ToolError(.rejected, user.heldSentence(for: client.device))
        case .unanswered: throw ToolError(.noAnswer, "no answer; what was not sent is kept, and sent by the next chat")
        }
    }
}

extension ChatMessage {
    /// The message as a chat without a terminal prints it.
    fileprivate var chatLine: String {
        let lines = text.printableLines.joined(separator: " ↵ ")
        return "\(TimeZone.local.civil(createdAt).stamp) \(sender.user): \(lines)"
    }
}
