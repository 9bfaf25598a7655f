import ParleyClient
import ParleyProtocol

/// Runs a chat on a terminal: feeds events to the session until the chat ends.
struct TerminalChat: Sendable {
    let client: MessagingClient
    let gateway: LocalGateway
    let other: UserID

    /// An event of a chat.
    enum Happening: Sendable {
        case terminal(RawTerminal.Event)
        case client(ClientEvent)
        case conversation(Result<ConversationSummary, ClientError>)
        case page(Result<HistorySlice, ClientError>, isFirst: Bool)
        /// The client has caught up, and receives events.
        case ready
        /// A notice for the transcript.
        case noticed(String)
        /// The number to compare, and the keys that it is of.
        case numberShown(ShownNumber)
        case failed(ClientError)
        /// How far a file is.
        case transfer(ChatTransfer)
        case transferOver(ChatTransfer.Key)
        /// A picture for the whole screen, and what it is.
        case picture(PictureDrawing, String)
        /// The terminal may have said nothing of its attributes.
        case attributesOverdue
        /// Time to draw again.
        case drawing
        /// The other may have stopped writing.
        case typingOver
    }

    /// Background work; its result is an event of the chat.
    typealias Work = @Sendable () async -> Happening?

    func run() async throws {
        let events = client.events()
        try await RawTerminal.run { terminal in
            let (happenings, post) = AsyncStream.makeStream(of: Happening.self)
            let (works, begin) = AsyncStream.makeStream(of: Work.self)
            try await withThrowingTaskGroup { group in
                group.addTask { for await event in terminal.events { post.yield(.terminal(event)) } }
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
                var session = ChatSession(chat: self, terminal: terminal, post: { post.yield($0) }) { begin.yield($0) }
                session.begin()
                for await happening in happenings where try await session.handle(happening) { break }
            }
        }
    }
}
