import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// One run of a chat on a terminal.
struct ChatSession {
    let chat: TerminalChat
    let terminal: RawTerminal
    /// Reports what comes of work before its end.
    let post: @Sendable (TerminalChat.Happening) -> Void
    let start: (@escaping TerminalChat.Work) -> Void
    /// How the terminal shows pictures; `nil` until it has been asked.
    var pictures = PictureSupport { Environment[$0] }
    /// The files to be opened once the terminal has answered.
    var filesToOpen: [NumberedFile] = []
    var downloads = ChatDownloads()

    var state: ChatState
    var screen = ChatScreen(zone: .local)
    var decoder = KeyDecoder()
    var conversation: ConversationID?
    /// The newest message of the other's that was marked as read.
    var readUpTo: ChatMessage.Position?
    /// The other's keys as they were last shown for comparing.
    var shown: ShownKeys?
    /// Whether the notice was shown that the keys of the other are not verified.
    var hasShownNewContact = false
    var drawnAt: ContinuousClock.Instant?
    var isDrawingDue = false
    var typingUntil: ContinuousClock.Instant?
    /// What has the screen until a key is pressed.
    var shownPicture: PictureDrawing?

    /// The least time between two drawings, which bounds the cost of a flood of messages.
    static let betweenDrawings: Duration = .milliseconds(25)
    /// A timeout for work that has none.
    static let patience: Duration = .seconds(86_400)
    static let pageOfHistory = 100
    /// The gateway ends a start after 5 s; a little more for the way.
    static let longestTyping: Duration = .seconds(7)

    init(
        chat: TerminalChat, terminal: RawTerminal, post: @escaping @Sendable (TerminalChat.Happening) -> Void,
        start: @escaping (@escaping TerminalChat.Work) -> Void
    ) {
        self.chat = chat
        self.terminal = terminal
        self.post = post
        self.start = start
        state = ChatState(me: chat.client.device, other: chat.other)
    }

    mutating func begin() {
        // There may be a connection already, and its events be over.
        let client = chat.client
        start { (try? await client.ready(timeout: ChatSession.patience)).map { .ready } }
        findConversation()
        draw()
    }

    /// - Returns: whether the chat is over.
    mutating func handle(_ happening: TerminalChat.Happening) async throws -> Bool {
        switch happening {
        case .terminal(let event):
            if try await handle(event) { return true }
        case .client(let event): try await handle(event)
        case .conversation(let result): try handle(result)
        case .page(.success(let slice), let isFirst): await handle(slice, isFirst: isFirst)
        case .page(.failure(let error), _):
            state.hasOlder = true
            show(error)
        case .ready: state.link = .connected
        case .noticed(let text): state.transcript.append(text)
        case .numberShown(let number): handle(number)
        case .failed(let error): show(error)
        case .transfer(let transfer): show(transfer)
        case .transferOver(let key): end(key)
        case .picture(let picture, let name): show(picture, name)
        case .attributesOverdue: if !filesToOpen.isEmpty { openFiles(pictures ?? .none) }
        case .drawing: isDrawingDue = false
        case .typingOver:
            if let until = typingUntil, until <= .now { state.isOtherTyping = false }
        }
        await markRead()
        drawSoon()
        return false
    }

    mutating func show(_ error: ClientError) {
        state.transcript.append(chat.gateway.failure(of: error, chat.client.device).message, .warning)
    }

    // MARK: The conversation and its history

    /// Retries until there is an answer: there may be no connection yet.
    func findConversation() {
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

    mutating func handle(_ result: Result<ConversationSummary, ClientError>) throws {
        let id = try result.get().id
        conversation = id
        fetch(.newest, isFirst: true)
        chat.showPausedUploads(in: id, start, post)
    }

    func fetch(_ position: HistoryPosition, isFirst: Bool) {
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

    mutating func handle(_ slice: HistorySlice, isFirst: Bool) async {
        state.hasOlder = !slice.reachedStart
        for message in slice.messages { await put(message) }
        guard isFirst else { return }
        if slice.messages.isEmpty {
            if await !chat.client.keys.isVerified(chat.other) { showNewContact() }
            state.transcript.append("Nothing was said yet. /help says what there is.")
        }
        if await chat.client.keys.isPending(chat.other) {
            state.transcript.append(
                "Keys of \(chat.other) wait to be accepted. \(ChatSession.acceptInstructions)", .warning)
        }
        chat.showRequest(start)
    }

    mutating func put(_ message: ChatMessage) async {
        guard message.conversation == conversation else { return }
        let isEarlier = await chat.client.precedesThisDevice(message)
        state.transcript.insert(ChatLine(message, me: state.me.user, isEarlier: isEarlier))
    }

    /// Shows a notice about the keys of the other or of the user.
    mutating func show(_ notice: PeerKeyNotice) {
        guard notice.user == chat.other || notice.user == state.me.user else { return }
        if case .met(chat.other, _) = notice { return showNewContact() }
        guard notice.asksToAccept else {
            return state.transcript.append("\(notice).", notice.isWarning ? .warning : .faint)
        }
        state.transcript.append("\(notice). \(ChatSession.acceptInstructions)", .warning)
    }

    /// Shown once for a new contact: no client can tell whether the first keys are theirs.
    mutating func showNewContact() {
        guard !hasShownNewContact else { return }
        hasShownNewContact = true
        state.transcript.append(
            "\(chat.other) is new to this device: only comparing the safety number (/safety) shows whether the gateway has "
                + "answered with the keys of \(chat.other), or with its own.", .plain)
    }

    static let acceptInstructions =
        "It was set up anew, or somebody pretends to be them: compare the safety number (/safety), then /accept."

    /// Marks the messages on the screen as read, not those below it.
    mutating func markRead() async {
        guard let conversation, state.anchor == nil, shownPicture == nil, let newest = state.transcript.newestReceived,
            readUpTo.map({ $0 < newest.position }) ?? true
        else { return }
        readUpTo = newest.position
        try? await chat.client.markRead(conversation, upTo: newest.id)
    }

    // MARK: The client

    mutating func handle(_ event: ClientEvent) async throws {
        switch event {
        case .connected: state.link = .connected
        case .waiting(let cause):
            state.link = .waiting("not connected: \(cause)")
            state.presence = nil
        case .ended(let cause): throw ToolError(.noAnswer, chat.gateway.sentence(cause, chat.client.device))
        case .message(let message):
            guard message.conversation == conversation, !state.transcript.isBefore(message.position) else { return }
            if !state.transcript.contains(message.id), message.sender.user != state.me.user {
                state.isOtherTyping = false
                if state.anchor != nil { state.unseen += 1 }
            }
            await put(message)
            // It may have been opened just now.
            if let readUpTo, let position = message.position, position <= readUpTo { self.readUpTo = nil }
        case .status(let id, _, let status): state.transcript.mark(id, ChatLine.Progress(status))
        case .failed(let id, let other, let reason):
            guard other == conversation else { return }
            state.transcript.mark(id, .failed)
            state.endTransfer(.upload(id))
            let failure = chat.gateway.failure(of: .failed(reason), chat.client.device)
            state.transcript.append("Not sent: \(failure.message). /retry sends it again.", .warning)
        case .typing(let indicator): handle(indicator)
        case .keys(let notice): show(notice)
        case .leftOut(_, let other, _) where other == conversation:
            if let line = event.warning(for: state.me) { state.transcript.append(line, .warning) }
        case .resendRequested(_, let other, _) where other == conversation,
            .resent(_, let other, _) where other == conversation:
            if let line = event.warning(for: state.me) { state.transcript.append(line, .faint) }
        case .gatewayFault, .membersChanged, .tokenNotRenewed, .requestRefused:
            if let line = event.warning(for: state.me) { state.transcript.append(line, .warning) }
        case .historyReset(let id) where id == conversation:
            state.transcript.removeMessages()
            state.transcript.append(
                "The gateway was put back to an earlier state. What it has no more is kept here.", .warning)
            fetch(.newest, isFirst: false)
        case .missed:
            fetch(.newest, isFirst: false)
        case .storageFailed(let error): state.transcript.append("\(error)", .warning)
        case .messageExpired(let id, let other) where other == conversation: state.transcript.remove(id)
        case .messageRequest(let request): handle(request)
        case .presence(let update) where update.user == chat.other: state.presence = update
        case .upload(let upload) where upload.conversation == conversation:
            if let transfer = upload.transfer {
                state.show(transfer)
            } else {
                state.endTransfer(.upload(upload.message))
            }
        case .gateway(let notice as PersonNotice): handle(notice)
        case .gateway(let challenge as Challenge) where challenge.conversation == conversation:
            if let line = challenge.chatLine { state.transcript.append(line, .faint) }
        case .change, .gateway, .messageExpired, .receipt, .conversationAdded, .conversationChanged, .presence,
            .dayReported, .workoutReported, .leftOut, .resendRequested, .resent, .push, .historyReset,
            .conversationRemoved, .upload:
            break
        }
    }

    private mutating func handle(_ notice: PersonNotice) {
        let user = notice.user
        switch notice.kind {
        case .friendAdded: state.transcript.append("You and \(user) follow each other now.")
        case .friendRemoved: if user == chat.other { state.presence = nil }
        case .userBlocked:
            if user == chat.other { state.transcript.append("You have blocked \(user); /unblock ends that.") }
        case .userUnblocked:
            if user == chat.other { state.transcript.append("\(user) is not blocked any more.") }
        }
    }

    mutating func handle(_ request: ChatRequest) {
        let words = request.message.map { ": \($0.text)" } ?? "."
        guard request.user == chat.other else {
            state.transcript.append(
                "\(request.user) wants to write to you\(words)\nTo answer: parley chat --as \(state.me) --with \(request.user)"
            )
            return
        }
        state.transcript.append("\(request.user) wants to write to you\(words)\n/accept, /decline, or just answer.")
    }

    mutating func handle(_ indicator: TypingIndicator) {
        guard indicator.conversation == conversation, indicator.sender.user == chat.other else { return }
        state.isOtherTyping = indicator.isTyping
        guard indicator.isTyping else { return }
        typingUntil = .now + ChatSession.longestTyping
        start {
            try? await Task.sleep(for: ChatSession.longestTyping)
            return .typingOver
        }
    }
}
