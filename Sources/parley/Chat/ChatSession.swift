import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// One run of a chat on a terminal.
struct ChatSession {
    private let chat: TerminalChat
    private let terminal: RawTerminal
    private let start: (@escaping TerminalChat.Work) -> Void

    private var state: ChatState
    private var screen = ChatScreen(zone: .local)
    private var decoder = KeyDecoder()
    private var conversation: ConversationID?
    /// The newest message of the other's that the gateway was told is read.
    private var readUpTo: ChatMessage.Place?
    /// The other's keys as they were last shown for comparing.
    private var shown: ShownKeys?
    /// Whether it was said that nothing shows yet whose keys the other's are.
    private var hasSaidNew = false
    private var drawnAt: ContinuousClock.Instant?
    private var isDrawingDue = false
    private var typingUntil: ContinuousClock.Instant?

    /// Drawn at most so often, so that a flood of messages costs no more than the eye takes in.
    private static let betweenDrawings: Duration = .milliseconds(25)
    /// For what takes as long as it takes.
    private static let patience: Duration = .seconds(86_400)
    private static let pageOfHistory = 100
    /// The gateway ends a start after 5 s; a little more for what is under way.
    private static let longestTyping: Duration = .seconds(7)

    init(
        chat: TerminalChat, terminal: RawTerminal, start: @escaping (@escaping TerminalChat.Work) -> Void
    ) {
        self.chat = chat
        self.terminal = terminal
        self.start = start
        state = ChatState(me: chat.client.device, other: chat.other)
    }

    mutating func begin() {
        // The connection may stand already, and its events be over.
        let client = chat.client
        start { (try? await client.ready(timeout: ChatSession.patience)).map { .ready } }
        findConversation()
        draw()
    }

    /// - Returns: whether the chat is over.
    mutating func take(_ happening: TerminalChat.Happening) async throws -> Bool {
        switch happening {
        case .terminal(let event):
            if try await take(event) { return true }
        case .client(let event): try await take(event)
        case .conversation(let result): try take(result)
        case .page(.success(let slice), let isFirst): await take(slice, isFirst: isFirst)
        case .page(.failure(let error), _):
            state.hasOlder = true
            say(error)
        case .ready: state.link = .connected
        case .said(let text): state.transcript.say(text)
        case .numberShown(let number): take(number)
        case .failed(let error): say(error)
        case .drawing: isDrawingDue = false
        case .typingOver:
            if let until = typingUntil, until <= .now { state.isOtherTyping = false }
        }
        await markRead()
        drawSoon()
        return false
    }

    private mutating func say(_ error: ClientError) {
        state.transcript.say(chat.gateway.failure(of: error, chat.client.device).message, .warning)
    }

    // MARK: The conversation and its history

    /// Asks for it until there is an answer: it may be that there is no connection yet.
    private func findConversation() {
        let (client, other) = (chat.client, chat.other)
        start {
            while !Task.isCancelled {
                do throws(ClientError) {
                    return .conversation(.success(try await client.conversation(with: other)))
                } catch {
                    guard error.passes else { return .conversation(.failure(error)) }
                    try? await Task.sleep(for: .seconds(1))
                }
            }
            return nil
        }
    }

    private mutating func take(_ result: Result<ConversationSummary, ClientError>) throws {
        conversation = try result.get().id
        fetch(.newest, isFirst: true)
    }

    private func fetch(_ position: HistoryPosition, isFirst: Bool) {
        guard let conversation else { return }
        let client = chat.client
        start {
            do throws(ClientError) {
                let slice = try await client.history(of: conversation, at: position, limit: ChatSession.pageOfHistory)
                return .page(.success(slice), isFirst: isFirst)
            } catch {
                return .page(.failure(error), isFirst: isFirst)
            }
        }
    }

    private mutating func take(_ slice: HistorySlice, isFirst: Bool) async {
        state.hasOlder = !slice.reachedStart
        for message in slice.messages { await put(message) }
        guard isFirst else { return }
        if slice.messages.isEmpty {
            if await !chat.client.isVerified(chat.other) { sayNew() }
            state.transcript.say("Nothing was said yet. /help says what there is.")
        }
        if await chat.client.isPending(chat.other) {
            state.transcript.say("Keys of \(chat.other) wait to be accepted. \(ChatSession.acceptHint)", .warning)
        }
        chat.tellRequest(start)
    }

    private mutating func put(_ message: ChatMessage) async {
        guard message.conversation == conversation else { return }
        let isEarlier = await chat.client.precedesThisDevice(message)
        state.transcript.put(ChatLine(message, me: state.me.user, isEarlier: isEarlier))
    }

    /// What the chat says of keys: of the other's, of one's own, and of new ones whosoever they are.
    private mutating func tell(_ notice: PeerKeyNotice) {
        guard notice.user == chat.other || notice.user == state.me.user else { return }
        if case .met(chat.other, _) = notice { return sayNew() }
        guard notice.asksToAccept else {
            return state.transcript.say("\(notice).", notice.isWarning ? .warning : .faint)
        }
        state.transcript.say("\(notice). \(ChatSession.acceptHint)", .warning)
    }

    /// The first thing that is said with somebody new. No client can see whose keys came first.
    private mutating func sayNew() {
        guard !hasSaidNew else { return }
        hasSaidNew = true
        state.transcript.say(
            "\(chat.other) is new to this device: only comparing the safety number (/safety) shows whether the gateway has "
                + "answered with the keys of \(chat.other), or with its own.", .plain)
    }

    private static let acceptHint =
        "It was set up anew, or somebody pretends to be them: compare the safety number (/safety), then /accept."

    /// What is on the screen was read; what is below it was not.
    private mutating func markRead() async {
        guard let conversation, state.anchor == nil, let newest = state.transcript.newestReceived,
            readUpTo.map({ $0 < newest.place }) ?? true
        else { return }
        readUpTo = newest.place
        try? await chat.client.markRead(conversation, upTo: newest.id)
    }

    // MARK: The client

    private mutating func take(_ event: ClientEvent) async throws {
        switch event {
        case .connected: state.link = .connected
        case .waiting(let trouble):
            state.link = .waiting("not connected: \(trouble)")
            state.presence = nil
        case .ended(let trouble): throw Failure(.noAnswer, chat.gateway.sentence(trouble, chat.client.device))
        case .message(let message):
            guard message.conversation == conversation, !state.transcript.isBefore(message.place) else { return }
            if !state.transcript.contains(message.id), message.sender.user != state.me.user {
                state.isOtherTyping = false
                if state.anchor != nil { state.unseen += 1 }
            }
            await put(message)
            // It may have been opened just now.
            if let readUpTo, let place = message.place, place <= readUpTo { self.readUpTo = nil }
        case .status(let id, _, let status): state.transcript.mark(id, ChatLine.Progress(status))
        case .setAside(let id, let place, let reason):
            guard place == conversation else { return }
            state.transcript.mark(id, .setAside)
            let failure = chat.gateway.failure(of: .setAside(reason), chat.client.device)
            state.transcript.say("Not sent: \(failure.message). /retry sends it again.", .warning)
        case .typing(let indicator): take(indicator)
        case .keys(let notice): tell(notice)
        case .leftOut(_, let place, _) where place == conversation:
            if let line = event.warning(for: state.me) { state.transcript.say(line, .warning) }
        case .resendRequested(_, let place, _) where place == conversation,
            .resent(_, let place, _) where place == conversation:
            if let line = event.warning(for: state.me) { state.transcript.say(line, .faint) }
        case .gatewayFault, .membersChanged:
            if let line = event.warning(for: state.me) { state.transcript.say(line, .warning) }
        case .historyReset(let id) where id == conversation:
            state.transcript.removeMessages()
            state.transcript.say(
                "The gateway was put back to an earlier state. What it has no more is kept here.", .warning)
            fetch(.newest, isFirst: false)
        case .missed:
            fetch(.newest, isFirst: false)
        case .conversationRemoved(let id) where id == conversation:
            state.transcript.say("You are no longer in this conversation.", .warning)
        case .storageFailed(let error): state.transcript.say("\(error)", .warning)
        case .messageExpired(let id, let place) where place == conversation: state.transcript.remove(id)
        case .messageRequest(let request): take(request)
        case .presence(let update) where update.user == chat.other: state.presence = update
        case .friendRemoved(let user) where user == chat.other: state.presence = nil
        case .friendAdded(let user):
            state.transcript.say("You and \(user) follow each other now.")
        case .userBlocked(let user) where user == chat.other:
            state.transcript.say("You have blocked \(user); /unblock ends that.")
        case .userUnblocked(let user) where user == chat.other: state.transcript.say("\(user) is not blocked any more.")
        case .change, .messageExpired, .receipt, .conversationAdded, .conversationChanged, .friendRemoved, .presence,
            .userBlocked,
            .userUnblocked, .leftOut, .resendRequested, .resent, .deviceRenewed, .historyReset, .conversationRemoved:
            break
        }
    }

    private mutating func take(_ request: ChatRequest) {
        let words = request.message.map { ": \($0.text)" } ?? "."
        guard request.user == chat.other else {
            state.transcript.say(
                "\(request.user) wants to write to you\(words)\nTo answer: parley chat --as \(state.me) --with \(request.user)"
            )
            return
        }
        state.transcript.say("\(request.user) wants to write to you\(words)\n/accept, /decline, or just answer.")
    }

    private mutating func take(_ indicator: TypingIndicator) {
        guard indicator.conversation == conversation, indicator.sender.user == chat.other else { return }
        state.isOtherTyping = indicator.isTyping
        guard indicator.isTyping else { return }
        typingUntil = .now + ChatSession.longestTyping
        start {
            try? await Task.sleep(for: ChatSession.longestTyping)
            return .typingOver
        }
    }

    // MARK: The terminal

    private mutating func take(_ event: RawTerminal.Event) async throws -> Bool {
        switch event {
        case .bytes(let bytes):
            for key in decoder.decode(bytes) {
                for action in state.press(key) where try await perform(action) { return true }
            }
        case .resized: break
        case .asked, .closed: return true
        }
        return false
    }

    /// - Returns: whether the chat is over.
    private mutating func perform(_ action: ChatState.Action) async throws -> Bool {
        switch action {
        case .send(let text): await send(text)
        case .typing: if let conversation { await chat.client.typing(in: conversation) }
        case .stopTyping: if let conversation { await chat.client.stopTyping(in: conversation) }
        case .fetchOlder:
            if let point = state.transcript.oldestPoint {
                fetch(.before(point), isFirst: false)
            } else {
                state.hasOlder = false
            }
        case .search(let words): await search(words)
        case .showSafetyNumber: showSafetyNumber()
        case .accept: chat.accept(shown, start)
        case .decline: chat.decline(conversation, start)
        case .listRequests: chat.listRequests(start)
        case .change(let id, let change): await make(change, of: id)
        case .follow(let isWanted): chat.follow(isWanted, start)
        case .block(let isWanted): chat.block(isWanted, start)
        case .retry: await retry()
        case .markRead(let newest):
            if let conversation { try? await chat.client.markRead(conversation, upTo: newest, passingUnopened: true) }
        case .scroll(let up):
            let isAtTop = screen.scroll(&state, up: up, size: terminal.size)
            if isAtTop, state.hasOlder == true {
                for action in state.fetchOlder() where try await perform(action) { return true }
            }
        case .redraw: screen.forget()
        case .end: return true
        }
        return false
    }

    private mutating func send(_ text: String) async {
        guard let conversation else {
            state.transcript.say("Not sent: the gateway was not reached yet. Arrow up brings it back.", .warning)
            return
        }
        do throws(ClientError) {
            _ = try await chat.client.send(.text(text), to: conversation)
        } catch {
            say(error)
        }
    }

    private mutating func make(_ change: ChatState.Change, of id: MessageID) async {
        guard let conversation else { return }
        do throws(ClientError) {
            switch change {
            case .edit(let text): try await chat.client.edit(id, in: conversation, to: .text(text))
            case .delete: try await chat.client.delete(id, in: conversation)
            case .react(let emoji): try await chat.client.react(to: id, in: conversation, with: emoji)
            }
        } catch {
            say(error)
        }
    }

    private mutating func search(_ words: String) async {
        do throws(ClientError) {
            let found = try await chat.client.search(words, in: conversation, limit: 20)
            state.transcript.say(found.isEmpty ? "Nothing found." : "Found, the newest last:")
            for message in found.reversed() {
                let time = TimeZone.local.civil(message.createdAt).stamp.prefix(16)
                state.transcript.say("\(time) \(message.sender.user): \(message.text)", .plain)
            }
        } catch {
            say(error)
        }
    }

    private func showSafetyNumber() {
        let (client, other) = (chat.client, chat.other)
        start {
            do throws(ClientError) {
                return .numberShown(try await client.safetyNumber(with: other))
            } catch {
                return .failed(error)
            }
        }
    }

    /// What is accepted later is what was compared now.
    private mutating func take(_ shown: ShownNumber) {
        self.shown = shown.shown
        let groups = shown.number.groups
        let rows = [groups.prefix(6), groups.suffix(6)].map { "  " + $0.joined(separator: " ") }
        state.transcript.say(
            "The safety number with \(chat.other), the same on both sides if nobody stands between:\n"
                + rows.joined(separator: "\n"))
    }

    private mutating func retry() async {
        do throws(ClientError) {
            let messages = try await chat.client.setAside().filter { $0.conversation == conversation }
            if messages.isEmpty { state.transcript.say("Nothing waits to be tried again.") }
            for message in messages { try await chat.client.retry(message.id) }
        } catch {
            say(error)
        }
    }

    // MARK: Showing

    private mutating func drawSoon() {
        if let drawnAt, drawnAt + ChatSession.betweenDrawings > .now {
            guard !isDrawingDue else { return }
            isDrawingDue = true
            start {
                try? await Task.sleep(for: ChatSession.betweenDrawings)
                return .drawing
            }
        } else {
            draw()
        }
    }

    private mutating func draw() {
        drawnAt = .now
        terminal.write(screen.draw(&state, size: terminal.size))
    }
}
