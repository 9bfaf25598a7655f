import ParleyClient
import ParleyCrypto
import ParleyProtocol

// What the client reports.

extension ChatSession {
    mutating func handle(_ event: ClientEvent) async throws {
        switch event {
        case .connected: state.link = .connected
        case .waiting(let cause):
            state.link = .waiting("not connected: \(cause)")
            state.presence = nil
        case .ended(let cause): throw ToolError(.noAnswer, chat.gateway.sentence(cause, chat.client.device))
        case .messageAdded(let message), .messageChanged(let message): await handle(message)
        case .status(let id, _, let status):
            state.transcript.mark(id, ChatLine.Progress(status))
            await checkPace()
        case .failed(let id, let other, let reason):
            guard other == conversation else { return }
            state.transcript.mark(id, .failed)
            state.endTransfer(.upload(id))
            state.transcript.append("Not sent: \(sentence(.failed(reason))) /retry sends it again.", .warning)
        case .typing(let indicator): handle(indicator)
        case .keys(let notice): show(notice)
        case .leftOut(_, let other, _) where other == conversation:
            if let line = warning(event) { state.transcript.append(line, .warning) }
        case .resendRequested(_, let other, _) where other == conversation,
            .resent(_, let other, _) where other == conversation:
            if let line = warning(event) { state.transcript.append(line, .faint) }
        case .gatewayFault, .tokenNotRenewed, .requestRefused, .membersChanged:
            if let line = warning(event) { state.transcript.append(line, .warning) }
        case .historyReset(let id) where id == conversation:
            state.transcript.removeMessages()
            state.transcript.append(
                "The gateway was put back to an earlier state. What it has no more is kept here.", .warning)
            fetch(.newest, isFirst: false)
        case .missed:
            listConversations(isReady: true)
            fetch(.newest, isFirst: false)
        case .storageFailed(let error): state.transcript.append("\(error)", .warning)
        case .messageRemoved(let id, let other, _) where other == conversation: state.transcript.remove(id)
        case .messageRequest(let request): handle(request)
        case .presence(let update) where update.user == state.other: state.presence = update
        case .upload(let upload) where upload.conversation == conversation:
            if let transfer = upload.transfer {
                state.show(transfer)
            } else {
                state.endTransfer(.upload(upload.message))
            }
        case .conversationAdded(let summary), .conversationChanged(let summary): update(summary)
        case .conversationRemoved(let id): state.leave(id)
        case .gateway(let notice as PersonNotice): handle(notice)
        case .gateway(let challenge as Challenge) where challenge.conversation == conversation:
            if let line = challenge.chatLine { state.transcript.append(line, .faint) }
        case .change, .gateway, .messageRemoved, .receipt, .presence, .dayReported, .workoutReported, .leftOut,
            .resendRequested, .resent, .push, .historyReset, .upload:
            break
        }
    }

    private func warning(_ event: ClientEvent) -> String? {
        event.warning(for: state.me, Titles(conversations: state.titles))
    }

    private mutating func update(_ summary: ConversationSummary) {
        guard summary.isOpen else { return }
        if state.update(ChatEntry(summary, me: state.me.user, now: .now)), !summary.isMuted(at: .now) { ring() }
    }

    /// Rings the terminal's bell, if that is wanted.
    private mutating func ring() {
        guard state.rings, rungAt.map({ $0 + ChatSession.betweenRings < .now }) ?? true else { return }
        rungAt = .now
        terminal.write([0x07])
    }

    private mutating func handle(_ message: ChatMessage) async {
        guard message.conversation == conversation, !state.transcript.isBefore(message.position) else { return }
        if !state.transcript.contains(message.id), message.sender.user != state.me.user {
            if state.typist == message.sender.user { state.typist = nil }
            if state.anchor != nil { state.unseen += 1 }
        }
        await put(message)
        // It may have been opened just now.
        if let readUpTo, let position = message.position, position <= readUpTo { self.readUpTo = nil }
    }

    /// Shows whether the gateway's rate limit holds messages back.
    mutating func checkPace() async {
        let wasLimited = state.isSendingLimited
        state.isSendingLimited = await chat.client.isSendingLimited
        guard state.isSendingLimited || wasLimited else { return }
        // The limit ends often, and comes back with the next message while many wait.
        if wasLimited, !state.isSendingLimited, await chat.client.hasWaitingMessages { state.isSendingLimited = true }
        guard state.isSendingLimited else { return }
        start {
            try? await Task.sleep(for: .seconds(1))
            return .paceOver
        }
    }

    /// Shows a notice about the keys of somebody here or of the user.
    private mutating func show(_ notice: PeerKeyNotice) {
        let isOfMember = state.list[conversation]?.members.contains(notice.user) ?? false
        guard notice.user == state.other || notice.user == state.me.user || isOfMember else { return }
        if case .met(let user, _) = notice {
            if user == state.other { showNewContact(user) }
            return
        }
        guard notice.asksToAccept else {
            return state.transcript.append("\(notice).", notice.isWarning ? .warning : .faint)
        }
        state.transcript.append("\(notice). \(ChatSession.acceptInstructions)", .warning)
    }

    /// Shown once for a new contact: no client can tell whether the first keys are theirs.
    mutating func showNewContact(_ other: UserID) {
        guard newContacts.insert(other).inserted else { return }
        state.transcript.append(
            "\(other) is new to this device: only comparing the safety number (/safety) shows whether the gateway has "
                + "answered with the keys of \(other), or with its own.", .plain)
    }

    static let acceptInstructions =
        "It was set up anew, or somebody pretends to be them: compare the safety number (/safety), then /accept."

    private mutating func handle(_ notice: PersonNotice) {
        let user = notice.user
        switch notice.kind {
        case .friendAdded: state.transcript.append("You and \(user) follow each other now.")
        case .friendRemoved: if user == state.other { state.presence = nil }
        case .userBlocked:
            state.transcript.append(
                "You have blocked \(user); /unblock\(user == state.other ? "" : " \(user)") ends that.")
        case .userUnblocked: state.transcript.append("\(user) is not blocked any more.")
        }
    }

    private mutating func handle(_ request: ChatRequest) {
        let words = request.message.map { ": \($0.text)" } ?? "."
        let isHere = request.user == state.other
        let advice = isHere ? "/accept, /decline, or just answer." : "To answer: /new \(request.user)"
        state.transcript.append("\(request.user) wants to write to you\(words)\n\(advice)")
    }

    private mutating func handle(_ indicator: TypingIndicator) {
        guard indicator.conversation == conversation, indicator.sender.user != state.me.user else { return }
        if !indicator.isTyping {
            if state.typist == indicator.sender.user { state.typist = nil }
            return
        }
        state.typist = indicator.sender.user
        typingUntil = .now + ChatSession.longestTyping
        start {
            try? await Task.sleep(for: ChatSession.longestTyping)
            return .typingOver
        }
    }
}

extension ChatState {
    /// What the conversations are called.
    var titles: [ConversationID: String] { Dictionary(list.entries.map { ($0.id, $0.title) }) { first, _ in first } }
}
