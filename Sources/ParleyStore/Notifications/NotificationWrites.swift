import GRDB
import ParleyProtocol
import ParleyRules

/// A notification to be added to a feed.
package struct NotificationRow: Sendable {
    package let user: UserID
    /// The one after the last of the feed.
    package let number: Int
    package let notification: FeedNotification
    /// What it has in common with its repeats.
    package let key: String
    /// When it is to be removed, by the steady time.
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

/// Writes notifications.
package struct NotificationWrites {
    let database: Database

    /// Adds notifications, and removes what a feed has no room for any more.
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
        for row in rows where row.number > NotificationFeed.most {
            try database.run(
                #"DELETE FROM notifications WHERE "user" = ? AND number = ?"#,
                [row.user.text, row.number - NotificationFeed.most])
        }
    }

    /// Lets notifications keep their repeats away no more.
    package func release(_ keys: [NotificationQueries.RepeatKey]) throws(StoreError) {
        for key in keys {
            try database.run(
                #"UPDATE notifications SET repeat_key = NULL WHERE "user" = ? AND repeat_key = ?"#,
                [key.user.text, key.key])
        }
    }

    /// These have been read.
    package func markRead(_ ids: [NotificationID]) throws(StoreError) {
        try database.run(ids.map { [.id($0)] }, row: "?") { ids in
            "UPDATE notifications SET is_read = 1 WHERE id IN (\(ids)) AND is_read = 0"
        }
    }

    /// A user has read all.
    package func markAllRead(of user: UserID) throws(StoreError) {
        try database.run(
            #"UPDATE notifications SET is_read = 1 WHERE "user" = ? AND is_read = 0"#, [user.text])
    }

    /// Removes those whose time has come, the oldest first, and no more than `limit`.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: how many.
    package func removeExpired(at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.run(
            """
            DELETE FROM notifications WHERE id IN (
                SELECT id FROM notifications WHERE disappears_at <= ? ORDER BY disappears_at LIMIT ?)
            """, [now.milliseconds, limit])
        return database.changesCount
    }
}
