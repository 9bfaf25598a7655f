import ParleyProtocol

/// Messages that could not be opened and may be when a key is fetched or accepted: the last so many. Older ones are
/// tried again whenever they are read.
struct UnopenedMessages {
    struct Entry: Hashable, Sendable {
        let id: MessageID
        let conversation: ConversationID
        let sender: DeviceAddress
    }

    private var entries: [Entry] = []

    static let capacity = 1024

    mutating func record(_ entry: Entry) {
        guard !entries.contains(entry) else { return }
        if entries.count >= UnopenedMessages.capacity { entries.removeFirst(UnopenedMessages.capacity / 4) }
        entries.append(entry)
    }

    var senders: Set<UserID> { Set(entries.map(\.sender.user)) }

    /// Those that what is known of `user` now may open, which are forgotten here. Whatever this device itself has sent
    /// any user's key may open.
    mutating func remove(of user: UserID, own device: DeviceAddress) -> [Entry] {
        let taken = entries.filter { $0.sender.user == user || $0.sender == device }
        entries.removeAll { $0.sender.user == user || $0.sender == device }
        return taken
    }
}

/// Where in a conversation's log the messages are that could not be opened when they came: what the user has not seen
/// is not marked read.
struct UnopenedPlaces: Hashable, Sendable {
    /// Ascending.
    private(set) var seqs: [Int] = []

    /// As many as the gateway counts as unread.
    static let capacity = Limits.unreadCount

    init(seqs: [Int] = []) { self.seqs = seqs.sorted() }

    /// - Parameter readSeq: what is before it is of no interest any more.
    mutating func record(_ messages: [KeptMessage], unreadAfter readSeq: Int) {
        guard !messages.isEmpty else { return }
        seqs.removeAll { $0 <= readSeq }
        for message in messages where seqs.count < UnopenedPlaces.capacity && !seqs.contains(message.record.seq) {
            seqs.append(message.record.seq)
        }
        seqs.sort()
    }

    /// The first of them up to `seq` that still cannot be read; those before it are forgotten.
    mutating func first(upTo seq: Int, isUnreadable: (Int) throws -> Bool) rethrows -> Int? {
        while let first = seqs.first, first <= seq {
            if try isUnreadable(first) { return first }
            seqs.removeFirst()
        }
        return nil
    }
}
