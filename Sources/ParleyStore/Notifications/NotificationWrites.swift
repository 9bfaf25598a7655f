import ParleyProtocol
import ParleyRules

package struct NotificationRow: Sendable {
    package let user: UserID
    /// The one after the last of the feed.
    package let number: Int
    package let notification: FeedNotification
    /// That of its repeats.
    package let key: String
    /// By the steady time.
    package let disappearsAt: Timestamp

    package init(
        user: UserID, number: Int, notification: FeedNotification, key: String, disappearsAt: Timestamp
    ) {
        self.user = user
        self.number = number
        self.notification = notification
        self.key = key
        self.disappearsAt = disappearsAt
    }
}

extension NotificationRow {
    /// Notifications of one kind displace each other in a feed.
    fileprivate struct Kind: Hashable {
        let user: UserID
        let asks: Bool

        /// How many there are at most.
        var most: Int { asks ? NotificationFeed.mostAsking : NotificationFeed.mostTelling }
    }

    fileprivate var kind: Kind { Kind(user: user, asks: notification.type.value?.asksForSomething ?? false) }
}

package struct NotificationWrites {
    let database: Database

    /// Adds notifications, and removes those beyond the most of a feed.
    package func insert(_ rows: [NotificationRow]) throws(StoreError) {
        try database.run(
            rows.map { row in
                let notification = row.notification
                return [
                    .text(row.user.text), .integer(row.number), .id(notification.id), .text(notification.type.name),
                    .optionalText(notification.actor?.text), .blob(notification.subject.json), .text(row.key),
                    .bool(notification.isRead), .time(notification.createdAt), .time(notification.expiresAt),
                    .time(row.disappearsAt),
                ]
            }, row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ) { rows in
            """
            INSERT INTO notifications ("user", number, id, type, actor, subject, repeat_key, is_read, created_at,
                expires_at, disappears_at)
            VALUES \(rows)
            """
        }
        // A feed with smaller numbers is not full.
        for kind in Set(rows.filter { $0.number > $0.kind.most }.map(\.kind)) { try trim(kind) }
    }

    /// Removes notifications of a kind beyond its most: the oldest read ones, then the oldest.
    private func trim(_ kind: NotificationRow.Kind) throws(StoreError) {
        let types = NotificationType.allCases.filter(\.asksForSomething).map { "'\($0.rawValue)'" }
        let isOfKind = "type \(kind.asks ? "" : "NOT ")IN (\(types.joined(separator: ", ")))"
        try database.run(
            """
            DELETE FROM notifications WHERE "user" = ? AND number IN (
                SELECT number FROM notifications WHERE "user" = ? AND \(isOfKind)
                ORDER BY is_read, number DESC LIMIT ? OFFSET ?)
            """, [kind.user.text, kind.user.text, Int.max, kind.most])
    }

    /// Replaces notifications by repeats: each keeps its id, and gets number and times of the repeat.
    package func refresh(_ rows: [(key: NotificationQueries.RepeatKey, row: NotificationRow)]) throws(StoreError) {
        for (key, row) in rows {
            try database.run(
                """
                UPDATE notifications SET number = ?, subject = ?, created_at = ?, expires_at = ?, disappears_at = ?
                WHERE "user" = ? AND repeat_key = ?
                """,
                [
                    row.number, row.notification.subject.json, row.notification.createdAt.milliseconds,
                    row.notification.expiresAt.milliseconds, row.disappearsAt.milliseconds, key.user.text, key.key,
                ])
        }
    }

    /// Frees keys for repeats.
    package func release(_ keys: [NotificationQueries.RepeatKey]) throws(StoreError) {
        for key in keys {
            try database.run(
                #"UPDATE notifications SET repeat_key = NULL WHERE "user" = ? AND repeat_key = ?"#,
                [key.user.text, key.key])
        }
    }

    package func markRead(_ ids: [NotificationID]) throws(StoreError) {
        try database.run(ids.map { [.id($0)] }, row: "?") { ids in
            "UPDATE notifications SET \(NotificationWrites.asRead) WHERE id IN (\(ids)) AND is_read <> 1"
        }
    }

    package func markAllRead(of user: UserID) throws(StoreError) {
        try database.run(
            #"UPDATE notifications SET \#(NotificationWrites.asRead) WHERE "user" = ? AND is_read = 0"#, [user.text])
    }

    /// Some keys are free once the notification is read.
    private static let asRead = """
        is_read = 1,
            repeat_key = CASE WHEN repeat_key LIKE '\(NewNotification.unreadKeyPrefix)%' THEN NULL ELSE repeat_key END
        """

    /// Removes expired ones, the oldest first.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: how many.
    package func removeExpired(at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.change(
            """
            DELETE FROM notifications WHERE id IN (
                SELECT id FROM notifications WHERE disappears_at <= ? ORDER BY disappears_at LIMIT ?)
            """, [now.milliseconds, limit])
    }
}
