import ParleyClient
import ParleyProtocol

/// The state of a chat in a terminal: keys go in, actions come out.
struct ChatState {
    let me: DeviceAddress
    /// The conversation that is shown.
    private(set) var place: ChatPlace
    var list = ChatList()
    var transcript = Transcript()
    var reading = ChatReading()
    var editor = LineEditor()
    var link = Link.connecting
    /// Who is typing.
    var typist: UserID?
    /// Whether the other is there, as far as they let it be known.
    var presence: PresenceUpdate?
    /// What has the place of the talk.
    var overlay: ChatOverlay?
    /// The message that the next command is about.
    var selection: ChatLine.Key?
    /// The row at the bottom of the screen; `nil` for the newest.
    var anchor: Anchor?
    /// Whether the first unread message goes to the top of the screen when it is next drawn.
    var wantsUnreadOnTop = false
    /// Whether the selected message has to be brought onto the screen when it is next drawn.
    var wantsSelectionShown = false
    /// How many rows a page is, as it was last drawn.
    var pageRows = 20
    /// How many rows the overlay has, as it was last drawn.
    var overlayRows = 0
    /// Whether there are older messages than those that are shown; `nil` while they are being fetched.
    var hasOlder: Bool? = true
    /// Whether the first page of the conversation is being fetched: until it is there no message is shown, as it is
    /// not known which comes first.
    var isLoading = false
    /// How many new messages are below the screen.
    var unseen = 0
    /// Whether the terminal's bell rings for what comes.
    var rings = false
    /// Whether the gateway's rate limit holds messages back.
    var isSendingLimited = false
    /// The files that are on their way, in the order in which they began.
    private(set) var transfers: [ChatTransfer] = []
    /// The messages that were written here since the chat began.
    var written: Set<MessageID> = []
    /// The unfinished lines of other conversations.
    private var drafts: [ConversationID: String] = [:]

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
        /// It disappears after so long.
        case sendDisappearing(String, MessageLifetime)
        case reply(MessageID, String)
        case typing
        case stopTyping
        case fetchOlder
        case search(String)
        case listRequests
        case change(MessageID, Change)
        case person(ChatInput.PersonCommand, UserID)
        case retry
        /// What cannot be opened, too.
        case markRead(MessageID)
        case open(AppLink)
        case sendFile(String)
        case openFile(MessageID, number: Int)
        case saveFile(MessageID, path: String?)
        case pause(ChatTransfer.Key)
        case resume(ChatTransfer.Key)
        case switchTo(ConversationID)
        case openDirect(UserID)
        case makeGroup(NewGroup)
        case showMembers
        case showBoard
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

    init(me: DeviceAddress, place: ChatPlace = .nowhere) { (self.me, self.place) = (me, place) }

    /// The other user of a direct conversation.
    var other: UserID? { place.peer }

    // MARK: The conversation

    /// Shows another conversation, of which nothing is known yet but what the list says.
    mutating func show(_ place: ChatPlace) {
        if let old = self.place.id { drafts[old] = editor.text }
        self.place = place
        transcript = Transcript()
        reading = ChatReading()
        isLoading = false
        (typist, presence, overlay, selection, anchor) = (nil, nil, nil, nil, nil)
        (wantsUnreadOnTop, wantsSelectionShown, unseen, hasOlder) = (false, false, 0, true)
        editor.replace(with: place.id.flatMap { drafts.removeValue(forKey: $0) } ?? "")
        if let entry = list[place.id] { reading.setRead(entry.readSeq) }
    }

    /// What the gateway says of a conversation, which may be the one that is shown.
    ///
    /// - Returns: whether more of it is unread than before.
    @discardableResult mutating func update(_ entry: ChatEntry) -> Bool {
        if case .direct(let peer, nil) = place, entry.peer == peer { place = ChatPlace(entry) }
        if entry.id == place.id {
            place = ChatPlace(entry)
            reading.setRead(entry.readSeq)
        }
        return list.update(entry)
    }

    /// The user is no member of a conversation any more. One that is shown stays. Of a group this is said once; a
    /// direct conversation has become a message request, and is shown as one.
    mutating func leave(_ id: ConversationID) {
        guard id == place.id, var entry = list[id] else { return list.remove(id) }
        guard entry.isMember else { return }
        entry.isMember = false
        list.update(entry)
        if entry.peer == nil { transcript.append("You are not in \(entry.title) any more.", .warning) }
    }

    /// A page of history has come: the first unread message goes to the top of the screen once it is there.
    ///
    /// - Returns: whether older messages are needed for that.
    mutating func openAtUnread() -> Bool {
        let unread = list[place.id]?.unread ?? 0
        guard reading.isOpening else { return false }
        if hasOlder != false, transcript.items.count < ChatState.mostOpened,
            reading.wantsOlder(transcript, unread: unread)
        {
            return true
        }
        isLoading = false
        reading.open(transcript, hasUnread: unread > 0)
        wantsUnreadOnTop = reading.firstUnread != nil
        return false
    }

    /// More than are counted as unread; what is before is fetched as the person scrolls.
    private static let mostOpened = 1200

    // MARK: Files on their way

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
