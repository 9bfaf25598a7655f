import ParleyProtocol
import ParleyRules
import ParleyStore

// The notifications of a batch are decided at its end: repeats, blocks and mutes are read for all at once, and all are
// written at once. So a command that notifies costs the batch no statement of its own.

/// The notifications of a batch, to be decided at its end.
struct PendingNotifications {
    private(set) var list: [(recipient: UserID, notification: NewNotification)] = []
    private var keys: Set<NotificationQueries.RepeatKey> = []

    /// Of two with the same key the first counts, or the last if it refreshes the notification.
    mutating func add(_ notification: NewNotification, for recipient: UserID) {
        guard notification.actor != recipient else { return }
        if keys.insert(notification.key(for: recipient)).inserted {
            list.append((recipient, notification))
        } else if notification.refreshesUnread,
            let index = list.firstIndex(where: { $0.notification.key == notification.key && $0.recipient == recipient })
        {
            list[index].notification = notification
        }
    }

    mutating func remove(_ key: NotificationQueries.RepeatKey) {
        guard keys.remove(key) != nil else { return }
        list.removeAll { $0.notification.key(for: $0.recipient) == key }
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

/// Adds to feeds in a batch: notifications, and items of activity (`RecordActivity`).
struct BatchFeed {
    let batch: Batch

    /// Adds a notification to a user's feed and publishes it, unless they have it already, have caused it, have blocked
    /// its actor or have muted the conversation of a reaction. The caller decides whether they may know of its subject.
    func notify(_ user: UserID, _ notification: NewNotification) { batch.notifications.add(notification, for: user) }

    /// Marks a notification read on all devices of its recipient: it is answered. The next of its key is a new one.
    func clear(_ notification: NewNotification, of recipient: UserID) throws(StoreError) {
        let key = notification.key(for: recipient)
        batch.notifications.remove(key)
        let transaction = try batch.writable()
        guard let entry = try transaction.facts.notifications.state(of: key) else { return }
        try transaction.notifications.markRead([entry.id])
        try transaction.notifications.release([key])
        guard !entry.isRead else { return }
        let event = NotificationsCleared(
            ids: [entry.id], unreadCount: try transaction.facts.notifications.unreadCount(of: recipient),
            badge: .countedLater, at: batch.now)
        try batch.publish(event, to: recipient, unread: .badge(of: recipient, at: batch.now))
    }

    /// Clears the notification that asks for an answer to a challenge, if none is waited for any more.
    func clearAnswered(_ challenge: ChallengeState) throws(StoreError) {
        guard let (recipient, notification) = challenge.answered else { return }
        try clear(notification, of: recipient)
    }

    /// Decides, writes and publishes the notifications of the batch.
    func publishNotifications() throws(StoreError) {
        let pending = batch.notifications.list
        guard !pending.isEmpty else { return }
        batch.notifications = PendingNotifications()
        let transaction = try batch.writable()
        let facts = transaction.facts.notifications
        let added = try facts.added(pending.map { $0.notification.key(for: $0.recipient) })
        let blocks = try facts.blocks(pending.compactMap { one in one.notification.actor.map { (one.recipient, $0) } })
        let muted = try facts.muted(
            pending.compactMap { one in one.notification.mutedWith.map { (one.recipient, $0) } }, at: batch.now)
        var numbers = try facts.lastNumbers(of: Array(Set(pending.map(\.recipient))))
        var (rows, released): ([NotificationRow], [NotificationQueries.RepeatKey]) = ([], [])
        var refreshed: [(NotificationQueries.RepeatKey, NotificationRow)] = []
        for (recipient, notification) in pending {
            let key = notification.key(for: recipient)
            let isBlocked = notification.actor.map { blocks[recipient]?.contains($0) ?? false } ?? false
            let isMuted = notification.mutedWith.map { muted[recipient]?.contains($0) ?? false } ?? false
            let decision = NotificationFeed.decide(
                notification, for: recipient, earlier: added[key], isSilenced: isBlocked || isMuted,
                steady: batch.steady)
            guard decision != .dropped else { continue }
            let number = (numbers[recipient] ?? 0) + 1
            numbers[recipient] = number
            let row = row(notification, for: recipient, number: number)
            switch decision {
            case .dropped: continue
            case .refreshed: refreshed.append((key, row))
            case .added: rows.append(row)
            case .addedAgain:
                released.append(key)
                rows.append(row)
            }
        }
        try transaction.notifications.refresh(refreshed)
        guard !rows.isEmpty else { return }
        try transaction.notifications.release(released)
        try transaction.notifications.insert(rows)
        batch.afterCommit.wake(
            FeedRemovalDuty.self, at: batch.steady.advanced(by: NotificationFeed.lifetime))
        for row in rows {
            let notification = PushNotification(row.notification, of: row.user, at: batch.now)
            let position = try batch.publish(notification, unread: .badge(of: row.user, at: batch.now))
            batch.pushTriggers.feed(row.notification.id, of: row.user, at: position)
        }
    }

    private func row(_ notification: NewNotification, for recipient: UserID, number: Int) -> NotificationRow {
        NotificationRow(
            user: recipient, number: number,
            notification: FeedNotification(
                id: NotificationID(.ordered(at: batch.steady)), type: .known(notification.type),
                actor: notification.actor,
                subject: notification.subject, badge: .countedLater, isRead: false, createdAt: batch.now,
                expiresAt: batch.now.advanced(by: NotificationFeed.lifetime)), key: notification.key,
            disappearsAt: batch.steady.advanced(by: NotificationFeed.lifetime))
    }
}
