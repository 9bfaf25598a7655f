import ParleyProtocol

/// The outcomes of this client's last messages.
struct SentMessages {
    private var outcomes: [MessageID: Result<SentMessage, ClientError>] = [:]
    private var order: [MessageID] = []

    static let capacity = 2048

    subscript(id: MessageID) -> Result<SentMessage, ClientError>? { outcomes[id] }

    mutating func record(_ id: MessageID, _ outcome: Result<SentMessage, ClientError>) {
        if outcomes.updateValue(outcome, forKey: id) == nil { order.append(id) }
        guard order.count > SentMessages.capacity else { return }
        for old in order.prefix(SentMessages.capacity / 2) { outcomes[old] = nil }
        order.removeFirst(SentMessages.capacity / 2)
    }

    /// The message is sent again.
    mutating func forget(_ id: MessageID) {
        guard outcomes.removeValue(forKey: id) != nil else { return }
        order.removeAll { $0 == id }
    }
}
