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
        case .resized: break
        case .asked, .closed: return true
        }
        return false
    }

    /// - Returns: whether the chat is over.
    mutating func perform(_ action: ChatState.Action) async throws -> Bool {
        switch action {
        case .send(let text): await send(text, isUrgent: false)
        case .sendUrgently(let text): await send(text, isUrgent: true)
        case .typing: if let conversation { await chat.client.typing.pressKey(in: conversation) }
        case .stopTyping: if let conversation { await chat.client.typing.stop(in: conversation) }
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
        case .open(let link): chat.open(link, start)
        case .sendFile(let path):
            if let conversation = reached() { chat.send(file: path, to: conversation, start) }
        case .openFile(let id, let number):
            open(NumberedFile(message: id, number: number))
        case .saveFile(let id, let path):
            if let conversation = reached() {
                let stop = downloads.begin(id, by: action)
                chat.save(id, in: conversation, to: path, until: stop, start, post)
            }
        case .pause(let transfer): pause(transfer)
        case .resume(let transfer): for action in resume(transfer) where try await perform(action) { return true }
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

    mutating func send(_ text: String, isUrgent: Bool) async {
        guard let conversation = reached() else { return }
        do throws(ClientError) {
            _ = try await chat.client.send(.text(text), to: conversation, isUrgent: isUrgent)
        } catch {
            show(error)
        }
    }

    mutating func make(_ change: ChatState.Change, of id: MessageID) async {
        guard let conversation else { return }
        do throws(ClientError) {
            switch change {
            case .edit(let text): try await chat.client.edit(id, in: conversation, to: .text(text))
            case .delete: try await chat.client.delete(id, in: conversation)
            case .react(let emoji): try await chat.client.react(to: id, in: conversation, with: emoji)
            }
        } catch {
            show(error)
        }
    }

    mutating func search(_ words: String) async {
        do throws(ClientError) {
            let found = try await chat.client.search(words, in: conversation, limit: 20)
            state.transcript.append(found.isEmpty ? "Nothing found." : "Found, the newest last:")
            for message in found.reversed() {
                let time = TimeZone.local.civil(message.createdAt).stamp.prefix(16)
                state.transcript.append("\(time) \(message.sender.user): \(message.text)", .plain)
            }
        } catch {
            show(error)
        }
    }

    func showSafetyNumber() {
        let (client, other) = (chat.client, chat.other)
        start {
            do throws(ClientError) {
                return .numberShown(try await client.keys.safetyNumber(with: other))
            } catch {
                return .failed(error)
            }
        }
    }

    /// Keeps the keys that are compared: `/accept` accepts these.
    mutating func handle(_ shown: ShownNumber) {
        self.shown = shown.shown
        let groups = shown.number.groups
        let rows = [groups.prefix(6), groups.suffix(6)].map { "  " + $0.joined(separator: " ") }
        state.transcript.append(
            "The safety number with \(chat.other), the same on both sides if nobody stands between:\n"
                + rows.joined(separator: "\n"))
    }

    mutating func retry() async {
        do throws(ClientError) {
            let messages = try await chat.client.failedMessages().filter { $0.conversation == conversation }
            if messages.isEmpty { state.transcript.append("Nothing waits to be tried again.") }
            for message in messages { try await chat.client.retry(message.id) }
        } catch {
            show(error)
        }
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
        terminal.write(screen.draw(&state, size: terminal.size))
    }
}
