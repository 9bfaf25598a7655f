import ParleyClient
import ParleyCrypto
import ParleyProtocol

// Input and output of the terminal.

extension ChatSession {

    mutating func handle(_ event: RawTerminal.Event) async throws -> Bool {
        switch event {
        case .bytes where shownPicture != nil, .resized where shownPicture != nil: leavePicture()
        case .bytes(let bytes):
            for key in decoder.decode(bytes) {
                if case .attributes(let attributes) = key { openFiles(PictureSupport(attributes: attributes)) }
                for action in state.press(key) where try await perform(action) { return true }
            }
            guard decoder.isBehindEscape else { break }
            start {
                try? await Task.sleep(for: ChatSession.longestEscape)
                return .escapeOverdue
            }
        case .resized: break
        case .asked, .closed: return true
        }
        return false
    }

    /// - Returns: whether the chat is over.
    mutating func perform(_ action: ChatState.Action) async throws -> Bool {
        switch action {
        case .send(let text): await send(text)
        case .sendUrgently(let text): await send(text, isUrgent: true)
        case .sendDisappearing(let text, let lifetime): await send(text, expiresIn: .seconds(lifetime.seconds))
        case .reply(let id, let text): await send(text, replyTo: id)
        case .typing: if let conversation { await chat.client.typing.pressKey(in: conversation) }
        case .stopTyping: if let conversation { await chat.client.typing.stop(in: conversation) }
        case .fetchOlder:
            if let point = state.transcript.oldestPoint {
                fetch(.before(point), isFirst: false)
            } else {
                state.hasOlder = false
            }
        case .search(let words): chat.search(words, in: conversation, state.titles, start)
        case .listRequests: chat.listRequests(start)
        case .change(let id, let change): await make(change, of: id)
        case .person(let command, let user):
            chat.perform(command, user, in: state.place, shown?.user == user ? shown?.keys : nil, start)
        case .open(let link): chat.open(link, start)
        case .sendFile(let path): if let conversation = reached() { chat.send(file: path, to: conversation, start) }
        case .openFile(let id, let number): open(NumberedFile(message: id, number: number))
        case .saveFile(let id, let path):
            if let conversation = reached() {
                let stop = downloads.begin(id, by: action)
                chat.save(id, in: conversation, to: path, until: stop, start, post)
            }
        case .pause(let transfer): pause(transfer)
        case .resume(let transfer): for action in resume(transfer) where try await perform(action) { return true }
        case .switchTo(let id): switchTo(id)
        case .openDirect(let user): if user == state.me.user { refuseOneself() } else { openDirect(user) }
        case .makeGroup(let group): chat.make(group, start)
        case .showMembers: if let conversation = reached() { chat.showMembers(of: conversation, start) }
        case .showBoard: if let conversation = reached() { chat.showBoard(of: conversation, start) }
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

    /// The conversation, once it is known.
    mutating func reached() -> ConversationID? {
        if conversation == nil {
            state.transcript.append("Not sent: the gateway was not reached yet. Arrow up brings it back.", .warning)
        }
        return conversation
    }

    private mutating func refuseOneself() {
        state.transcript.append("That is you: there is no conversation with oneself.", .warning)
    }

    private mutating func send(
        _ text: String, isUrgent: Bool = false, expiresIn: Duration? = nil, replyTo: MessageID? = nil
    ) async {
        guard let conversation = reached() else { return }
        do throws(ClientError) {
            let id = try await chat.client.send(
                .text(text), to: conversation, replyTo: replyTo, expiresIn: expiresIn, isUrgent: isUrgent)
            state.written.insert(id)
        } catch { show(error) }
    }

    private mutating func make(_ change: ChatState.Change, of id: MessageID) async {
        guard let conversation else { return }
        do throws(ClientError) {
            switch change {
            case .edit(let text): try await chat.client.edit(id, in: conversation, to: .text(text))
            case .delete: try await chat.client.delete(id, in: conversation)
            case .react(let emoji): try await chat.client.react(to: id, in: conversation, with: emoji)
            }
        } catch { show(error) }
    }

    /// Keeps the keys that are compared: `/accept` accepts these.
    mutating func handle(_ user: UserID, _ number: ShownNumber) {
        shown = (user, number.shown)
        let groups = number.number.groups
        let rows = [groups.prefix(6), groups.suffix(6)].map { "  " + $0.joined(separator: " ") }
        state.transcript.append(
            "The safety number with \(user), the same on both sides if nobody stands between:\n"
                + rows.joined(separator: "\n"))
    }

    private mutating func retry() async {
        do throws(ClientError) {
            let messages = try await chat.client.failedMessages().filter { $0.conversation == conversation }
            if messages.isEmpty { state.transcript.append("Nothing waits to be tried again.") }
            for message in messages { try await chat.client.retry(message.id) }
        } catch { show(error) }
    }

    // MARK: Showing

    mutating func drawSoon() {
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

    mutating func draw() {
        guard shownPicture == nil else { return }
        drawnAt = .now
        switch terminal {
        case .screen(let terminal): terminal.write(screen.draw(&state, size: terminal.size))
        case .lines: for line in plain.lines(&state) { Terminal.print(line) }
        }
    }
}
