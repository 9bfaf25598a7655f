import ParleyProtocol
import ParleyRules
import ParleyStore

// A notification is decided at the end of its batch, with all others of it: whether its recipient has it already or has
// blocked its actor is asked for all at once, and all are written at once. So a command that notifies somebody costs the
// batch no statement of its own.

/// The notifications of a batch, to be decided at its end.
struct PendingNotifications {
    private(set) var list: [(recipient: UserID, notification: NewNotification)] = []
    private var keys: Set<NotificationQueries.RepeatKey> = []

    /// The first of two with the same key is the one that counts.
    mutating func add(_ notification: NewNotification, for recipient: UserID) {
        guard notification.actor != recipient, keys.insert(notification.key(for: recipient)).inserted else { return }
        list.append((recipient, notification))
    }
}

extension NewNotification {
    fileprivate func key(for recipient: UserID) -> NotificationQueries.RepeatKey {
        NotificationQueries.RepeatKey(user: recipient, key: key)
    }
}

extension Batch {
    var feed: BatchFeed { BatchFeed(batch: self) }
}

/// What comes into feeds by a batch: notifications, and items of activity (`RecordActivity`).
struct BatchFeed {
    let batch: Batch

    /// Gives somebody a notification when the transaction is committed, unless they have it already, have caused it
    /// themselves or have blocked who has: a row of their feed and `notification.new`.
    ///
    /// Whether the recipient may know of what it is about is the caller's to decide.
    func notify(_ user: UserID, _ notification: NewNotification) { batch.notifications.add(notification, for: user) }

    /// Decides, writes and publishes the notifications of the batch.
    func publishNotifications() throws(StoreError) {
        let pending = batch.notifications.list
        guard !pending.isEmpty else { return }
        batch.notifications = PendingNotifications()
        let transaction = try batch.writable()
        let facts = transaction.facts.notifications
        let added = try facts.added(pending.map { $0.notification.key(for: $0.recipient) })
        let blocks = try facts.blocks(pending.compactMap { one in one.notification.actor.map { (one.recipient, $0) } })
        var numbers = try facts.lastNumbers(of: Array(Set(pending.map(\.recipient))))
        var (rows, released): ([NotificationRow], [NotificationQueries.RepeatKey]) = ([], [])
        for (recipient, notification) in pending {
            let key = notification.key(for: recipient)
            let isBlocked = notification.actor.map { blocks[recipient]?.contains($0) ?? false } ?? false
            let decision = NotificationFeed.decide(
                notification, for: recipient, earlier: added[key], isBlocked: isBlocked, steady: batch.steady)
            switch decision {
            case .dropped: continue
            case .added: break
            case .addedAgain: released.append(key)
            }
            let number = (numbers[recipient] ?? 0) + 1
            numbers[recipient] = number
            rows.append(row(notification, for: recipient, number: number))
        }
        guard !rows.isEmpty else { return }
        try transaction.notifications.release(released)
        try transaction.notifications.insert(rows)
        batch.afterCommit.scheduleFeedRemoval(at: batch.steady.advanced(by: NotificationFeed.lifetime))
        for row in rows {
            try batch.publish(.user(row.user, .notifications), unread: .badge(of: row.user, at: batch.now)) {
                row.notification.writeEvent(to: &$0)
            }
        }
    }

    private func row(_ notification: NewNotification, for recipient: UserID, number: Int) -> NotificationRow {
        NotificationRow(
            user: recipient, number: number,
            notification: FeedNotification(
                id: .random(), type: .known(notification.type), actor: notification.actor,
                subject: notification.subject, badge: .countedLater, isRead: false, createdAt: batch.now,
                expiresAt: batch.now.advanced(by: NotificationFeed.lifetime)), key: notification.key,
            disappearsAt: batch.steady.advanced(by: NotificationFeed.lifetime))
    }
}
