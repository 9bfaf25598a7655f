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

    mutating func note(_ entry: Entry) {
        guard !entries.contains(entry) else { return }
        if entries.count >= UnopenedMessages.capacity { entries.removeFirst(UnopenedMessages.capacity / 4) }
        entries.append(entry)
    }

    /// Those that what is known of `user` now may open, which are forgotten here. Whatever this device itself has sent
    /// any user's key may open.
    mutating func take(of user: UserID, own device: DeviceAddress) -> [Entry] {
        let taken = entries.filter { $0.sender.user == user || $0.sender == device }
        entries.removeAll { $0.sender.user == user || $0.sender == device }
        return taken
    }
}
