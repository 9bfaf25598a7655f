import ParleyClient
import ParleyProtocol

/// Runs a chat on a terminal: feeds events to the session until the chat ends.
struct TerminalChat: Sendable {
    let client: MessagingClient
    let gateway: LocalGateway
    /// What it begins with.
    let target: ChatTarget
    var rings = false

    /// An event of a chat.
    enum Happening: Sendable {
        case terminal(RawTerminal.Event)
        /// A line that was written, where lines are read.
        case line(String)
        /// There is no more input.
        case over
        case client(ClientEvent)
        /// The conversations that there are.
        case listed([ConversationSummary], isReady: Bool)
        /// The direct conversation with a user.
        case conversation(UserID, Result<ConversationSummary, ClientError>)
        /// A conversation that was made, to be shown.
        case made(ConversationSummary)
        case page(ConversationID, Result<HistorySlice, ClientError>, isFirst: Bool)
        /// The message that another one answers.
        case quoted(String, by: MessageID)
        /// The client has caught up, and receives events.
        case ready
        /// A notice for the transcript.
        case noticed(String)
        /// A text in the place of the talk.
        case shown(ChatPage)
        case presence(PresenceUpdate)
        /// The number to compare, and the keys that it is of.
        case numberShown(UserID, ShownNumber)
        case failed(ClientError)
        /// How far a file is.
        case transfer(ChatTransfer)
        case transferOver(ChatTransfer.Key)
        /// A picture for the whole screen, and what it is.
        case picture(PictureDrawing, String)
        /// The terminal may have said nothing of its attributes.
        case attributesOverdue
        /// Nothing may have followed ESC.
        case escapeOverdue
        /// Time to draw again.
        case drawing
        /// The other may have stopped writing.
        case typingOver
        /// The gateway's rate limit may hold nothing back any more.
        case paceOver
    }

    /// Background work; its result is an event of the chat.
    typealias Work = @Sendable () async -> Happening?
    typealias Start = (@escaping Work) -> Void

    /// On the whole screen.
    func run() async throws {
        try await RawTerminal.run { terminal in
            try await serve(.screen(terminal)) { post in for await event in terminal.events { post(.terminal(event)) } }
        }
    }

    /// Line by line.
    func runInLines() async throws {
        try await serve(.lines) { post in
            do { for try await line in StandardInput.lines() { post(.line(line)) } } catch {
                post(.noticed("\(error)"))
            }
            post(.over)
        }
    }

    private func serve(_ output: ChatOutput, input: @escaping @Sendable (@Sendable (Happening) -> Void) async -> Void)
        async throws
    {
        let events = client.events()
        let (happenings, post) = AsyncStream.makeStream(of: Happening.self)
        let (works, begin) = AsyncStream.makeStream(of: Work.self)
        try await withThrowingTaskGroup { group in
            group.addTask { await input { post.yield($0) } }
            group.addTask { for await event in events { post.yield(.client(event)) } }
            group.addTask {
                await withDiscardingTaskGroup { group in
                    for await work in works {
                        group.addTask { if let happening = await work() { post.yield(happening) } }
                    }
                    group.cancelAll()
                }
            }
            // Work that runs or waits ends with the chat.
            defer { group.cancelAll() }
            var session = ChatSession(chat: self, terminal: output, post: { post.yield($0) }) { begin.yield($0) }
            session.begin()
            for await happening in happenings where try await session.handle(happening) { break }
        }
    }
}
