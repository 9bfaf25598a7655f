import ParleyProtocol
import ParleyRules

package struct NotificationQueries {
    let database: Database

    package struct Entry: Sendable {
        /// The newest of a feed has the greatest.
        package let number: Int
        package let notification: FeedNotification
    }

    /// A user's notifications before `number`, the newest first, until `body` returns `false`; without those of blocked
    /// actors.
    package func read(
        of user: UserID, before number: Int?, limit: Int, badge: Int, _ body: (Entry) throws -> Bool
    ) throws {
        try database.read(
            """
            SELECT n.number, n.id, n.type, n.actor, n.subject, n.is_read, n.created_at, n.expires_at
            FROM notifications n WHERE n."user" = ? AND n.number < ? AND \(NotificationQueries.isShown)
            ORDER BY n.number DESC LIMIT ?
            """, [user.text, number ?? .max, limit]
        ) { row in
            try body(Entry(number: row[0], notification: FeedNotification(row, from: 1, badge: .counted(badge))))
        }
    }

    package func unreadCount(of user: UserID) throws(StoreError) -> Int {
        try database.row(
            """
            SELECT count(*) FROM notifications n WHERE n."user" = ? AND n.is_read = 0 AND \(NotificationQueries.isShown)
            """, [user.text])?[0] ?? 0
    }

    /// Whether a user has an unread one, also of a blocked actor.
    package func hasUnread(_ user: UserID) throws(StoreError) -> Bool {
        try database.row(
            #"SELECT 1 FROM notifications n WHERE n."user" = ? AND n.is_read = 0 LIMIT 1"#, [user.text]) != nil
    }

    /// The unread ones of these in a user's feed.
    package func unread(among ids: [NotificationID], of user: UserID) throws(StoreError) -> [NotificationID] {
        var unread: Set<NotificationID> = []
        // With `= 0` PostgreSQL would look for them in the index of all unread ones.
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            #"SELECT n.id, n."user" FROM notifications n WHERE n.id IN (\#(ids)) AND n.is_read <> 1"#
        } _: { row in
            if try row.level(1) as UserID == user { unread.insert(try row.uuid(0)) }
        }
        return ids.filter { unread.remove($0) != nil }
    }

    /// Hides notifications of blocked actors.
    static let isShown =
        #"NOT EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = n."user" AND b.blocked = n.actor)"#

    // MARK: Facts about new notifications

    package struct RepeatKey: Hashable, Sendable {
        package let user: UserID
        package let key: String

        package init(user: UserID, key: String) { (self.user, self.key) = (user, key) }
    }

    /// When existing notifications with these keys were added, by the steady time.
    package func added(_ keys: [RepeatKey]) throws(StoreError) -> [RepeatKey: Timestamp] {
        try database.table(keys.map { [.text($0.user.text), .text($0.key)] }, key: "(?, ?)") { keys in
            """
            SELECT n."user", n.repeat_key, n.disappears_at FROM (VALUES \(keys)) AS k
            CROSS JOIN notifications n WHERE n."user" = k.column1 AND n.repeat_key = k.column2
            """
        } _: { row in
            let key = RepeatKey(user: try row.level(0), key: row.text(1))
            return (key, row.time(2).advanced(by: .zero - NotificationFeed.lifetime))
        }
    }

    /// The pairs whose first blocks the second.
    package func blocks(_ pairs: [(UserID, UserID)]) throws(StoreError) -> [UserID: Set<UserID>] {
        var blocks: [UserID: Set<UserID>] = [:]
        try database.read(pairs.map { [.text($0.0.text), .text($0.1.text)] }, key: "(?, ?)") { pairs in
            """
            SELECT b.blocker, b.blocked FROM (VALUES \(pairs)) AS k
            CROSS JOIN blocks b WHERE b.blocker = k.column1 AND b.blocked = k.column2
            """
        } _: { row in
            blocks[try row.level(0), default: []].insert(try row.level(1))
        }
        return blocks
    }

    /// The conversations that are muted for these users.
    package func muted(
        _ pairs: [(UserID, ConversationID)], at now: Timestamp
    ) throws(StoreError) -> [UserID: Set<ConversationID>] {
        var muted: [UserID: Set<ConversationID>] = [:]
        let keys = pairs.map { [BoundValue.text($0.0.text), .id($0.1)] }
        try database.read(keys, key: "(CAST(? AS TEXT), CAST(? AS BLOB))") { pairs in
            """
            SELECT k.column1, k.column2, m.muted_until FROM (VALUES \(pairs)) AS k
            CROSS JOIN conversations c CROSS JOIN members m
            WHERE c.id = k.column2 AND m.conversation = c.key AND m."user" = k.column1 AND m.is_muted = 1
            """
        } _: { row in
            guard row.optionalTime(2).map({ $0 > now }) ?? true else { return }
            muted[try row.level(0), default: []].insert(try row.uuid(1))
        }
        return muted
    }

    package func state(of key: RepeatKey) throws(StoreError) -> (id: NotificationID, isRead: Bool)? {
        try database.first(
            #"SELECT n.id, n.is_read FROM notifications n WHERE n."user" = ? AND n.repeat_key = ?"#,
            [key.user.text, key.key]
        ) { (try $0.uuid(0), $0[1]) }
    }

    /// The greatest number of each feed that is not empty.
    package func lastNumbers(of users: [UserID]) throws(StoreError) -> [UserID: Int] {
        try database.table(users.map { [.text($0.text)] }, key: "?") { users in
            """
            SELECT u.id, (SELECT max(n.number) FROM notifications n WHERE n."user" = u.id) FROM users u
            WHERE u.id IN (\(users))
            """
        } _: { row in
            (try row.level(0), row.optionalInteger(1))
        }.compactMapValues { $0 }
    }

    /// By the steady time.
    package func nextRemoval() throws(StoreError) -> Timestamp? {
        try database.row("SELECT min(disappears_at) FROM notifications")?.optionalTime(0)
    }
}

extension FeedNotification {
    /// From the columns id, type, actor, subject, is_read, created_at, expires_at.
    init(_ row: some ColumnReader, from column: Int, badge: UnreadCount) throws(StoreError) {
        self.init(
            id: try row.uuid(column), type: Named(row.text(column + 1)), actor: try row.optionalLevel(column + 2),
            subject: try row.subject(column + 3), badge: badge, isRead: row.isTrue(column + 4),
            createdAt: row.time(column + 5), expiresAt: row.time(column + 6))
    }
}

extension ColumnReader {
    fileprivate func optionalLevel<ID: LevelIdentifier>(_ column: Int) throws(StoreError) -> ID? {
        isNull(column) ? nil : try level(column)
    }

    fileprivate func subject(_ column: Int) throws(StoreError) -> NotificationSubject {
        do throws(ReadingError) {
            return try NotificationSubject(json: bytes(column) ?? [])
        } catch {
            throw .inconsistent(.column(column))
        }
    }
}
