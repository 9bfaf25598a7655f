import ParleyClient
import ParleyProtocol

/// The state of a chat in a terminal: keys go in, actions come out.
struct ChatState {
    let me: DeviceAddress
    let other: UserID
    var transcript = Transcript()
    var editor = LineEditor()
    var link = Link.connecting
    /// Whether the other is typing.
    var isOtherTyping = false
    /// Whether the other is there, as far as they let it be known.
    var presence: PresenceUpdate?
    /// The row at the bottom of the screen; `nil` for the newest.
    var anchor: Anchor?
    /// How many rows a page is, as it was last drawn.
    var pageRows = 20
    /// Whether there are older messages than those that are shown; `nil` while they are being fetched.
    var hasOlder: Bool? = true
    /// How many new messages are below the screen.
    var unseen = 0
    /// The files that are on their way, in the order in which they began.
    private(set) var transfers: [ChatTransfer] = []

    enum Link: Hashable {
        case connecting
        case connected
        /// There is no connection; why.
        case waiting(String)
    }

    /// A row that stays where it is while others come below it.
    struct Anchor: Hashable {
        let item: Transcript.Identity
        /// Which of the item's rows.
        let part: Int
    }

    /// An action for the session.
    enum Action: Hashable {
        case send(String)
        /// Notified of in quiet hours, too.
        case sendUrgently(String)
        case typing
        case stopTyping
        case fetchOlder
        case search(String)
        case showSafetyNumber
        case accept
        case decline
        case listRequests
        case change(MessageID, Change)
        case follow(Bool)
        case block(Bool)
        case retry
        /// What cannot be opened, too.
        case markRead(MessageID)
        case open(AppLink)
        case sendFile(String)
        case openFile(MessageID, number: Int)
        case saveFile(MessageID, path: String?)
        case pause(ChatTransfer.Key)
        case resume(ChatTransfer.Key)
        case scroll(up: Bool)
        case redraw
        case end
    }

    /// A change of a message.
    enum Change: Hashable {
        case edit(String)
        case delete
        case react(String)
    }

    mutating func press(_ key: Key) -> [Action] {
        let before = editor.text
        switch editor.apply(key) {
        case .edited:
            guard editor.text != before else { return [] }
            // Writing a command is no typing.
            let isMessage = !editor.text.isEmpty && !editor.text.hasPrefix("/")
            return [isMessage ? .typing : .stopTyping]
        case .submitted(let text): return submit(ChatInput(text))
        case .tooLong:
            transcript.append("A message holds at most \(LineEditor.longestText) bytes.", .warning)
            return []
        case .scroll(let up): return [.scroll(up: up)]
        case .end, .interrupt: return [.end]
        case .redraw: return [.redraw]
        }
    }

    private mutating func submit(_ input: ChatInput) -> [Action] {
        anchor = nil
        unseen = 0
        switch input {
        case .action(let action): return [action]
        case .help:
            transcript.append(ChatInput.manual)
            return []
        case .history: return fetchOlder()
        case .edit(let text): return ownNewest().map { [.change($0, .edit(text))] } ?? []
        case .delete: return ownNewest().map { [.change($0, .delete)] } ?? []
        case .react(let emoji): return receivedNewest().map { [.change($0, .react(emoji))] } ?? []
        case .markRead: return receivedNewest().map { [.markRead($0)] } ?? []
        case .open(let text):
            if let link = AppLink(text) { return [.open(link)] }
            transcript.append("This leads nowhere: a link begins with parley://", .warning)
            return []
        case .openFile(let number): return file(number).map { [.openFile($0, number: number)] } ?? []
        case .saveFile(let number, let path): return file(number).map { [.saveFile($0, path: path)] } ?? []
        case .pause(let number):
            return selectTransfers(number) { $0.obstacle != .paused }.map { .pause($0) }
        case .resume(let number):
            return selectTransfers(number) { $0.obstacle == .paused }.map { .resume($0) }
        case .nothing: return []
        case .unknown(let command):
            transcript.append("There is no \(command); /help says what there is.", .warning)
            return []
        }
    }

    private mutating func file(_ number: Int) -> MessageID? {
        let id = transcript.file(number)
        if id == nil { transcript.append("There is no file \(number) here.", .warning) }
        return id
    }

    /// The files on their way for which something holds: that with a number, or all.
    private mutating func selectTransfers(_ number: Int?, where isMeant: (ChatTransfer) -> Bool) -> [ChatTransfer.Key] {
        var message: MessageID?
        if let number {
            message = file(number)
            guard message != nil else { return [] }
        }
        let found = transfers.filter { isMeant($0) && (message == nil || $0.key.message == message) }.map(\.key)
        if found.isEmpty { transcript.append("There is no such file on its way.", .warning) }
        return found
    }

    mutating func pauseTransfer(_ key: ChatTransfer.Key) {
        guard let index = transfers.firstIndex(where: { $0.key == key }) else { return }
        transfers[index].obstacle = .paused
    }

    mutating func show(_ transfer: ChatTransfer) {
        if let index = transfers.firstIndex(where: { $0.key == transfer.key }) {
            transfers[index] = transfer
        } else {
            transfers.append(transfer)
        }
    }

    mutating func endTransfer(_ key: ChatTransfer.Key) { transfers.removeAll { $0.key == key } }

    private mutating func ownNewest() -> MessageID? {
        let id = transcript.newest(of: me.user)
        if id == nil { transcript.append("There is no message of yours here.", .warning) }
        return id
    }

    private mutating func receivedNewest() -> MessageID? {
        let id = transcript.newestReceived?.id
        if id == nil { transcript.append("There is no message of \(other)'s here.", .warning) }
        return id
    }

    mutating func fetchOlder() -> [Action] {
        switch hasOlder {
        case nil: return []
        case true?:
            hasOlder = nil
            return [.fetchOlder]
        case false?:
            transcript.append("There is nothing older.")
            return []
        }
    }
}
