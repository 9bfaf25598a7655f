import ParleyClient
import ParleyProtocol

/// Runs a chat on a terminal: hands what happens to the state, does what the state asks for, and shows it.
struct TerminalChat: Sendable {
    let client: MessagingClient
    let gateway: LocalGateway
    let other: UserID

    /// What can happen to a chat.
    enum Happening: Sendable {
        case terminal(RawTerminal.Event)
        case client(ClientEvent)
        case conversation(Result<ConversationSummary, ClientError>)
        case page(Result<HistorySlice, ClientError>, isFirst: Bool)
        /// The client has what was missed, and receives events.
        case ready
        /// Something to say, and the keys may be others now.
        case noticed(String)
        /// The number to compare, and the keys that it is of.
        case numberShown(ShownNumber)
        case failed(ClientError)
        /// Time to show what has changed since the last time.
        case drawing
        /// The other may have stopped writing.
        case typingOver
    }

    /// Something that takes its time; what comes of it happens to the chat.
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
                // What is begun and what waits ends with the chat.
                defer { group.cancelAll() }
                var session = ChatSession(chat: self, terminal: terminal) { begin.yield($0) }
                session.begin()
                for await happening in happenings where try await session.handle(happening) { break }
            }
        }
    }
}
