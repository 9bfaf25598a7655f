import ParleyProtocol

/// The last messages that could not be opened, and may be after a change of keys. Older ones are tried when they are
/// read.
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

    mutating func record(_ messages: [KeptMessage]) {
        for record in messages.filter(\.isSealed).map(\.record) {
            self.record(Entry(id: record.id, conversation: record.conversation, sender: record.sender))
        }
    }

    var senders: Set<UserID> { Set(entries.map(\.sender.user)) }

    /// Removes the messages that newer keys of `user` may open. Any user's key may open this device's own messages.
    mutating func remove(of user: UserID, own device: DeviceAddress) -> [Entry] {
        let taken = entries.filter { $0.sender.user == user || $0.sender == device }
        entries.removeAll { $0.sender.user == user || $0.sender == device }
        return taken
    }
}

/// The seqs of unopened messages in a conversation's log, which are not marked as read.
struct UnopenedSeqs: Hashable, Sendable {
    /// Ascending.
    private(set) var seqs: [Int] = []

    static let capacity = Limits.unreadCount

    init(seqs: [Int] = []) { self.seqs = seqs.sorted() }

    /// - Parameter readSeq: earlier entries are removed.
    mutating func record(_ messages: [KeptMessage], unreadAfter readSeq: Int) {
        guard !messages.isEmpty else { return }
        seqs.removeAll { $0 <= readSeq }
        for message in messages where seqs.count < UnopenedSeqs.capacity && !seqs.contains(message.record.seq) {
            seqs.append(message.record.seq)
        }
        seqs.sort()
    }

    /// The first of them up to `seq` that still cannot be read; earlier ones are removed.
    mutating func first(upTo seq: Int, isUnreadable: (Int) throws -> Bool) rethrows -> Int? {
        while let first = seqs.first, first <= seq {
            if try isUnreadable(first) { return first }
            seqs.removeFirst()
        }
        return nil
    }
}
