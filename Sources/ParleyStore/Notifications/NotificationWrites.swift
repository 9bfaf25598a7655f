import Foundation
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

extension NotificationRow {
    /// What takes the place of each other in a feed.
    fileprivate struct Kind: Hashable {
        let user: UserID
        let asks: Bool

        /// How many there are at most.
        var most: Int { asks ? NotificationFeed.mostAsking : NotificationFeed.mostTelling }
    }

    fileprivate var kind: Kind { Kind(user: user, asks: notification.type.value?.asksForSomething ?? false) }
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
        // Where numbers are small there are no more than that.
        for kind in Set(rows.filter { $0.number > $0.kind.most }.map(\.kind)) { try trim(kind) }
    }

    /// Removes what a feed has no room for of one kind: the oldest of what was read, and then the oldest.
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

    /// Has notifications that are there tell of something else of the same kind: each keeps its id, and is from then on
    /// as old and at the same place as if it had been added instead.
    package func refresh(_ rows: [(key: NotificationQueries.RepeatKey, row: NotificationRow)]) throws(StoreError) {
        for (key, row) in rows {
            try database.run(
                """
                UPDATE notifications SET number = ?, subject = ?, created_at = ?, expires_at = ?, disappears_at = ?
                WHERE "user" = ? AND repeat_key = ?
                """,
                [
                    row.number, Data(row.notification.subject.json), row.notification.createdAt.milliseconds,
                    row.notification.expiresAt.milliseconds, row.disappearsAt.milliseconds, key.user.text, key.key,
                ])
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
            "UPDATE notifications SET \(NotificationWrites.asRead) WHERE id IN (\(ids)) AND is_read = 0"
        }
    }

    /// A user has read all.
    package func markAllRead(of user: UserID) throws(StoreError) {
        try database.run(
            #"UPDATE notifications SET \#(NotificationWrites.asRead) WHERE "user" = ? AND is_read = 0"#, [user.text])
    }

    /// Some keep repeats away only until they were read.
    private static let asRead = """
        is_read = 1,
            repeat_key = CASE WHEN repeat_key LIKE '\(NewNotification.unreadKeyPrefix)%' THEN NULL ELSE repeat_key END
        """

    /// Removes those whose time has come, the oldest first, and no more than `limit`.
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
