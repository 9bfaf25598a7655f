import ParleyClient
import ParleyProtocol

/// A conversation as the chat's list shows it.
struct ChatEntry: Hashable, Sendable, Nameable {
    let id: ConversationID
    let title: String
    /// The other user of a direct conversation.
    let peer: UserID?
    let members: [UserID]
    /// 1,000 means that many or more.
    let unread: Int
    /// The position up to which the user has read.
    let readSeq: Int
    /// Who wrote last.
    let lastAuthor: UserID?
    let lastActivity: Timestamp
    var isMuted = false
    /// Whether the user is in it still.
    var isMember = true

    var names: [String] { [title] }
    var idText: String? { id.description }
    var candidate: String { "\(title) (\(id.short))" }

    /// For a row: the messages that are unread.
    var unreadText: String { unread >= Limits.unreadCount ? "\(unread)+" : "\(unread)" }
}

extension ChatEntry {
    init(_ summary: ConversationSummary, me: UserID, now: Timestamp) {
        id = summary.id
        title = summary.title(for: me)
        peer = summary.peer(of: me)
        members = summary.members.map(\.user)
        unread = summary.unreadCount
        readSeq = summary.lastReadSeq
        lastAuthor = summary.lastMessage?.sender.user
        lastActivity = max(summary.updatedAt, summary.lastMessage?.createdAt ?? summary.updatedAt)
        isMuted = summary.isMuted(at: now)
        isMember = summary.isMember
    }
}

/// The conversations, the most recently active first.
struct ChatList: Hashable, Sendable {
    private(set) var entries: [ChatEntry] = []
    /// Rises with each change.
    private(set) var version = 0

    subscript(_ id: ConversationID?) -> ChatEntry? { entries.first { $0.id == id } }

    mutating func replaceAll(_ entries: [ChatEntry]) {
        version += 1
        self.entries = entries.sorted(by: ChatList.isBefore)
    }

    /// Inserts a conversation, or replaces it.
    ///
    /// - Returns: whether more of it is unread than before.
    @discardableResult mutating func update(_ entry: ChatEntry) -> Bool {
        version += 1
        let before = self[entry.id]?.unread ?? 0
        entries.removeAll { $0.id == entry.id }
        entries.insert(entry, at: entries.firstIndex { ChatList.isBefore(entry, $0) } ?? entries.endIndex)
        return entry.unread > before
    }

    mutating func remove(_ id: ConversationID) {
        version += 1
        entries.removeAll { $0.id == id }
    }

    /// What is unread in other conversations than one, the newest first, in a line; `nil` for nothing.
    func elsewhere(than current: ConversationID?) -> String? {
        let unread = entries.filter { $0.id != current && $0.unread > 0 && !$0.isMuted }
        guard let newest = unread.first else { return nil }
        let author = newest.lastAuthor.map { "\($0) wrote, " } ?? ""
        let first =
            newest.peer == nil
            ? "\(newest.title): \(author)\(newest.unreadText) unread"
            : "\(newest.title) wrote, \(newest.unreadText) unread"
        return ([first] + unread.dropFirst().map { "\($0.title): \($0.unreadText) unread" }).joined(separator: " · ")
    }

    /// The conversation that a person goes to next: one with something unread, if there is one.
    func nextUnread(after current: ConversationID?) -> ChatEntry? {
        entries.first { $0.id != current && $0.unread > 0 && !$0.isMuted }
            ?? entries.first { $0.id != current && $0.unread > 0 }
    }

    /// The conversation beside one in the list, around its ends.
    func beside(_ current: ConversationID?, by step: Int) -> ChatEntry? {
        guard !entries.isEmpty else { return nil }
        guard let index = entries.firstIndex(where: { $0.id == current }) else { return entries.first }
        let count = entries.count
        return entries[((index + step) % count + count) % count]
    }

    private static func isBefore(_ one: ChatEntry, _ other: ChatEntry) -> Bool {
        (one.lastActivity, one.id) > (other.lastActivity, other.id)
    }
}
