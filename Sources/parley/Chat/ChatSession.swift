import ParleyClient
import ParleyCrypto
import ParleyProtocol

/// One run of a chat on a terminal.
struct ChatSession {
    let chat: TerminalChat
    let terminal: ChatOutput
    /// Reports what comes of work before its end.
    let post: @Sendable (TerminalChat.Happening) -> Void
    let start: (@escaping TerminalChat.Work) -> Void
    /// How the terminal shows pictures; `nil` until it has been asked.
    var pictures: PictureSupport?
    /// The files to be opened once the terminal has answered.
    var filesToOpen: [NumberedFile] = []
    var downloads = ChatDownloads()

    var state: ChatState
    var screen = ChatScreen(zone: .local, palette: Palette { Environment[$0] })
    var plain = PlainScreen(zone: .local)
    var decoder = KeyDecoder()
    /// The conversation whose history was asked for.
    var openedID: ConversationID?
    /// The newest message of another's that was marked as read.
    var readUpTo: ChatMessage.Position?
    /// A user's keys as they were last shown for comparing.
    var shown: (user: UserID, keys: ShownKeys)?
    /// The users of whom it was said that their keys are not verified.
    var newContacts: Set<UserID> = []
    /// The name that the conversation of the beginning was given, until it is found.
    var wantedName: String?
    var drawnAt: ContinuousClock.Instant?
    var rungAt: ContinuousClock.Instant?
    var isDrawingDue = false
    var typingUntil: ContinuousClock.Instant?
    /// What has the screen until a key is pressed.
    var shownPicture: PictureDrawing?

    var conversation: ConversationID? { state.place.id }

    /// The least time between two drawings, which bounds the cost of a flood of messages.
    static let betweenDrawings: Duration = .milliseconds(25)
    /// The least time between two rings of the bell.
    static let betweenRings: Duration = .seconds(1)
    /// How long the bytes behind an ESC may take, also over a slow line.
    static let longestEscape: Duration = .milliseconds(150)
    /// A timeout for work that has none.
    static let patience: Duration = .seconds(86_400)
    static let pageOfHistory = 100
    /// The gateway ends a start after 5 s; a little more for the way.
    static let longestTyping: Duration = .seconds(7)

    init(
        chat: TerminalChat, terminal: ChatOutput, post: @escaping @Sendable (TerminalChat.Happening) -> Void,
        start: @escaping (@escaping TerminalChat.Work) -> Void
    ) {
        self.chat = chat
        self.terminal = terminal
        self.post = post
        self.start = start
        pictures = terminal.isScreen ? PictureSupport { Environment[$0] } : PictureSupport.none
        state = ChatState(me: chat.client.device)
        state.rings = chat.rings
    }

    mutating func begin() {
        // There may be a connection already, and its events be over.
        let client = chat.client
        start { (try? await client.ready(timeout: ChatSession.patience)).map { .ready } }
        listConversations(isReady: false)
        switch chat.target {
        case .user(let other): openDirect(other)
        case .named(let name): wantedName = name
        case .list: state.overlay = .switcher(ChatSwitcher())
        }
        draw()
    }

    /// - Returns: whether the chat is over.
    mutating func handle(_ happening: TerminalChat.Happening) async throws -> Bool {
        switch happening {
        case .terminal(let event): if try await handle(event) { return true }
        case .line(let line): for action in state.submit(line) where try await perform(action) { return true }
        case .over: return true
        case .client(let event): try await handle(event)
        case .listed(let summaries, let isReady): handle(summaries, isReady: isReady)
        case .conversation(let other, let result): try handle(result, other)
        case .made(let summary):
            _ = state.update(ChatEntry(summary, me: state.me.user, now: .now))
            switchTo(summary.id)
        case .page(let id, let result, let isFirst): if id == conversation { await handle(result, isFirst: isFirst) }
        case .quoted(let quote, let id): state.transcript.setQuote(quote, of: id)
        case .ready:
            state.link = .connected
            listConversations(isReady: true)
        case .noticed(let text): state.transcript.append(text)
        case .shown(let page): state.overlay = .text(page)
        case .presence(let update): if update.user == state.other { state.presence = update }
        case .numberShown(let user, let number): handle(user, number)
        case .failed(let error): show(error)
        case .transfer(let transfer): show(transfer)
        case .transferOver(let key): end(key)
        case .picture(let picture, let name): show(picture, name)
        case .attributesOverdue: if !filesToOpen.isEmpty { openFiles(pictures ?? .none) }
        case .escapeOverdue:
            if let key = decoder.endEscape() {
                for action in state.press(key) where try await perform(action) { return true }
            }
        case .drawing: isDrawingDue = false
        case .typingOver: if let until = typingUntil, until <= .now { state.typist = nil }
        case .paceOver: await checkPace()
        }
        drawSoon()
        await markRead()
        return false
    }

    /// Shows why something failed, in words for people.
    mutating func show(_ error: ClientError) { state.transcript.append(sentence(error), .warning) }

    func sentence(_ error: ClientError) -> String {
        // The gateway's own sentence says it; its code is for programs.
        let text = error.rejection?.message ?? chat.gateway.failure(of: error, chat.client.device).message
        return text.asSentence
    }

    // MARK: The conversations

    func listConversations(isReady: Bool) {
        let client = chat.client
        start { .listed(await client.conversations.all(), isReady: isReady) }
    }

    private mutating func handle(_ summaries: [ConversationSummary], isReady: Bool) {
        state.list.replaceAll(summaries.map { ChatEntry($0, me: state.me.user, now: .now) })
        if let entry = state.list[conversation] { state.update(entry) }
        guard let name = wantedName else { return }
        let found = state.list.entries.named(name)
        switch found {
        case .one(let entry):
            wantedName = nil
            switchTo(entry.id)
        // More may be known once the gateway has said what there is.
        case .none where !isReady, .several where !isReady: break
        case .none, .several:
            wantedName = nil
            state.overlay = .switcher(ChatSwitcher())
            for action in state.submit("/switch \(name)") { if case .switchTo(let id) = action { switchTo(id) } }
        }
    }

    /// Opens the direct conversation with a user, who may be new.
    mutating func openDirect(_ other: UserID) {
        if let entry = state.list.entries.first(where: { $0.peer == other }) { return switchTo(entry.id) }
        leavePlace()
        state.show(.direct(other, id: nil))
        findConversation(with: other)
    }

    mutating func switchTo(_ id: ConversationID) {
        guard let entry = state.list[id] else { return }
        leavePlace()
        state.show(ChatPlace(entry))
        opened(id)
    }

    private mutating func leavePlace() {
        (readUpTo, shown, filesToOpen, typingUntil, openedID) = (nil, nil, [], nil, nil)
        if let conversation {
            let client = chat.client
            start {
                await client.typing.stop(in: conversation)
                return nil
            }
        }
    }

    /// The conversation that is shown is known: its history is next.
    private mutating func opened(_ id: ConversationID) {
        openedID = id
        state.isLoading = true
        fetch(.newest, isFirst: true)
        chat.showPausedUploads(in: id, start, post)
        guard let other = state.other else { return }
        let client = chat.client
        start { await client.people.presence(of: other).map { .presence($0) } }
    }

    /// Retries until there is an answer: there may be no connection yet.
    func findConversation(with other: UserID) {
        let client = chat.client
        start {
            while !Task.isCancelled {
                do throws(ClientError) {
                    return .conversation(other, .success(try await client.conversation(with: other)))
                } catch {
                    guard error.passes else { return .conversation(other, .failure(error)) }
                    try? await Task.sleep(for: .seconds(1))
                }
            }
            return nil
        }
    }

    private mutating func handle(_ result: Result<ConversationSummary, ClientError>, _ other: UserID) throws {
        guard state.other == other, conversation == nil else {
            if case .success(let summary) = result {
                state.update(ChatEntry(summary, me: state.me.user, now: .now))
                if summary.id == conversation, openedID != summary.id { opened(summary.id) }
            }
            return
        }
        switch result {
        case .success(let summary):
            state.update(ChatEntry(summary, me: state.me.user, now: .now))
            opened(summary.id)
        case .failure(let error):
            if chat.target == .user(other), state.list.entries.isEmpty { throw error }
            state.show(.nowhere)
            show(error)
            state.overlay = state.list.entries.isEmpty ? nil : .switcher(ChatSwitcher())
        }
    }

    // MARK: History

    func fetch(_ position: HistoryPosition, isFirst: Bool) {
        guard let conversation else { return }
        let client = chat.client
        start {
            do throws(ClientError) {
                let slice = try await client.history(of: conversation, at: position, limit: ChatSession.pageOfHistory)
                return .page(conversation, .success(slice), isFirst: isFirst)
            } catch { return .page(conversation, .failure(error), isFirst: isFirst) }
        }
    }

    private mutating func handle(_ result: Result<HistorySlice, ClientError>, isFirst: Bool) async {
        switch result {
        case .success(let slice): await handle(slice, isFirst: isFirst)
        case .failure(let error):
            state.hasOlder = true
            show(error)
            state.endOpening()
        }
    }

    private mutating func handle(_ slice: HistorySlice, isFirst: Bool) async {
        state.hasOlder = !slice.reachedStart
        if isFirst { await refreshEntry() }
        let isStuck = slice.messages.isEmpty
        for message in slice.messages { await put(message) }
        if isStuck {
            state.endOpening()
        } else if state.openAtUnread(), let point = state.transcript.oldestPoint {
            state.hasOlder = nil
            fetch(.before(point), isFirst: false)
        }
        guard isFirst else { return }
        if slice.messages.isEmpty {
            if let other = state.other, await !chat.client.keys.isVerified(other) { showNewContact(other) }
            state.transcript.append("Nothing was said yet. /help says what there is.")
        }
        guard let other = state.other else { return }
        if await chat.client.keys.isPending(other) {
            state.transcript.append("Keys of \(other) wait to be accepted. \(ChatSession.acceptInstructions)", .warning)
        }
        chat.showRequest(of: other, start)
    }

    /// How much is unread may have changed since the conversations were listed.
    private mutating func refreshEntry() async {
        guard let conversation, state.list[conversation]?.isMember == true,
            let summary = try? await chat.client.conversation(conversation)
        else { return }
        state.update(ChatEntry(summary, me: state.me.user, now: .now))
    }

    mutating func put(_ message: ChatMessage) async {
        guard message.conversation == conversation else { return }
        let isEarlier = await chat.client.precedesThisDevice(message)
        state.transcript.insert(ChatLine(message, me: state.me.user, isEarlier: isEarlier, quote: quote(of: message)))
    }

    /// What a message answers, in short; it is looked up where it is not on the screen.
    private func quote(of message: ChatMessage) -> String? {
        guard let id = message.replyTo else { return nil }
        if let line = state.transcript.line(id) { return line.quoted }
        if let known = state.transcript.line(message.id)?.quote, known != ChatLine.unknownQuote { return known }
        let (client, me) = (chat.client, state.me.user)
        start {
            guard let found = try? await client.message(id, in: message.conversation) else { return nil }
            return .quoted(ChatLine(found, me: me).quoted, by: message.id)
        }
        return ChatLine.unknownQuote
    }

    /// Marks as read what was on the screen.
    mutating func markRead() async {
        guard let conversation, shownPicture == nil,
            let newest = state.reading.readable(in: state.transcript, isWhole: state.hasOlder == false),
            readUpTo.map({ $0 < newest.position }) ?? true
        else { return }
        readUpTo = newest.position
        try? await chat.client.markRead(conversation, upTo: newest.id)
    }
}

extension ChatState {
    /// There are no older messages to be had: what is shown from now on is seen.
    mutating func endOpening() {
        isLoading = false
        reading.open(transcript, hasUnread: (list[place.id]?.unread ?? 0) > 0)
    }
}

extension String {
    /// With a capital letter at its beginning, and a point at its end.
    var asSentence: String {
        guard let last else { return self }
        return prefix(1).uppercased() + dropFirst() + (".!?".contains(last) ? "" : ".")
    }
}
