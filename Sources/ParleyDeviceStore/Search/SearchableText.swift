import ParleyProtocol

package struct SearchableText: Hashable, Sendable {
    package let text: String
    /// The order of results.
    package let sentAt: Timestamp

    package init(text: String, sentAt: Timestamp) { (self.text, self.sentAt) = (text, sentAt) }
}

/// The writes of a transaction that the search index follows after the commit.
final class IndexChanges {
    enum Change {
        case put(key: Int, StoredMessage)
        case remove(key: Int)
    }

    private(set) var changes: [Change] = []

    func append(_ change: Change) { changes.append(change) }
}
