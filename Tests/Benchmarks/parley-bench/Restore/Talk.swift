import ParleyProtocol

/// What was said in a conversation, which of it the gateway has, and which of it each member has received.
struct Talk {
    struct Entry {
        let id: MessageID
        let sender: UserID
        let kind: Kind
    }

    enum Kind {
        case message(String)
        case edit(of: MessageID, to: String)
        case deletion(of: MessageID)
        case reaction(to: MessageID, String)

        /// The message that it changes.
        var target: MessageID? {
            switch self {
            case .message: nil
            case .edit(let target, _), .deletion(let target), .reaction(let target, _): target
            }
        }
    }

    /// A message as a device shows it.
    struct Shown: Equatable {
        let id: MessageID
        /// `nil` if it was deleted.
        var text: String?
        var isEdited = false
        var reactions: [UserID: String] = [:]
    }

    let conversation: ConversationID
    /// In the order in which they were sent.
    private var entries: [Entry] = []
    /// The entries in the gateway's log, and the last one that each member has read there.
    private var log = Log()
    private var backup = Log()
    private var held: [UserID: Set<Int>] = [:]

    private struct Log {
        var entries: [Int] = []
        var read: [UserID: Int] = [:]
    }

    init(_ conversation: ConversationID) { self.conversation = conversation }

    // MARK: Changes

    /// The gateway has taken an entry.
    mutating func append(_ entry: Entry) {
        entries.append(entry)
        log.entries.append(entries.count - 1)
    }

    /// These members have received all that the gateway has.
    mutating func recordReceipt(by users: [UserID]) {
        for user in users { held[user, default: []].formUnion(log.entries) }
    }

    mutating func recordRead(by user: UserID) { log.read[user] = log.entries.last }

    mutating func backUp() { backup = log }

    mutating func restore() { log = backup }

    // MARK: Expectations

    var last: Entry? { log.entries.last.map { entries[$0] } }

    /// The ids of the gateway's records, in order.
    var recordIDs: [MessageID] { log.entries.map { entries[$0].id } }

    /// The messages that were deleted in the gateway's log, which has no content of them.
    var deleted: Set<MessageID> {
        Set(
            log.entries.compactMap { number in
                if case .deletion(let target) = entries[number].kind { target } else { nil }
            })
    }

    /// How many entries the restore has taken from the gateway.
    var lost: Int { entries.count - log.entries.count }

    /// The messages of a user, or of everybody else, in the gateway's log that were never changed.
    func unchanged(by user: UserID, isOwn: Bool = true) -> [MessageID] {
        let targets = Set(entries.compactMap(\.kind.target))
        return log.entries.map { entries[$0] }.filter { entry in
            entry.kind.target == nil && (entry.sender == user) == isOwn && !targets.contains(entry.id)
        }.map(\.id)
    }

    /// All that a member has received or the gateway has, in order.
    func expected(by user: UserID) -> [Shown] {
        var shown: [Shown] = []
        var places: [MessageID: Int] = [:]
        for number in (held[user] ?? []).union(log.entries).sorted() {
            let entry = entries[number]
            guard let target = entry.kind.target else {
                places[entry.id] = shown.count
                guard case .message(let text) = entry.kind else { continue }
                shown.append(Shown(id: entry.id, text: text))
                continue
            }
            guard let place = places[target], shown[place].text != nil else { continue }
            switch entry.kind {
            case .edit(_, let text): (shown[place].text, shown[place].isEdited) = (text, true)
            case .deletion: shown[place] = Shown(id: target, text: nil)
            case .reaction(_, let emoji): shown[place].reactions[entry.sender] = emoji
            case .message: break
            }
        }
        return shown
    }

    /// The others' messages in the gateway's log that a member has not read there.
    func unread(by user: UserID) -> Int {
        let deleted = deleted
        let read = log.read[user] ?? -1
        return log.entries.count { number in
            let entry = entries[number]
            return number > read && entry.kind.target == nil && entry.sender != user && !deleted.contains(entry.id)
        }
    }
}
