import ParleyProtocol

/// What of a message can be searched for.
package struct SearchableText: Hashable, Sendable {
    package let text: String
    /// When it was sent: what newest means across conversations.
    package let sentAt: Timestamp

    package init(text: String, sentAt: Timestamp) { (self.text, self.sentAt) = (text, sentAt) }
}

/// What was written in a transaction that the search index has to follow, if it is committed.
final class IndexChanges {
    enum Change {
        case put(key: Int, StoredMessage)
        case remove(key: Int)
    }

    private(set) var changes: [Change] = []

    func append(_ change: Change) { changes.append(change) }
}
