import GRDB
import ParleyProtocol
import ParleyRules

/// Something that has happened, of which somebody may be to be notified. It is stored in the transaction that stores what has
/// happened, and removed in the one that stores what was decided.
package struct PushEvent: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        case message(ConversationKey, seq: Int, isUrgent: Bool)
        /// What somebody's devices show of a conversation up to a place is to be taken away, but on the device that has done it.
        case clearing(ConversationKey, seq: Int, of: UserID, besides: DeviceID?)
        /// A message is gone: it was deleted, or has disappeared.
        case removal(ConversationKey, seq: Int)
        /// Something has come into somebody's feed.
        case feed(NotificationID, of: UserID)
    }

    /// What it is stored under; `nil` where it is not.
    package let key: Key?
    /// At which it was published.
    package let position: StreamPosition
    package let subject: Subject
    package let createdAt: Timestamp
    /// The same by the steady time.
    package let steadyAt: Timestamp

    package struct Key: Hashable, Sendable {
        let value: Int
    }

    package init(
        key: Key? = nil, position: StreamPosition, subject: Subject, createdAt: Timestamp, steadyAt: Timestamp
    ) {
        self.key = key
        self.position = position
        self.subject = subject
        self.createdAt = createdAt
        self.steadyAt = steadyAt
    }
}

/// A member of a conversation, as it is decided whether to notify them.
package struct PushRecipient: Hashable, Sendable {
    package let user: UserID
    package let joinedSeq: Int
    package let deliveredSeq: Int
    package let readSeq: Int
    /// Whether the conversation is in their list, and not a request that waits.
    package let isOpen: Bool
    package let isMuted: Bool
    /// `nil` for always, where it is muted.
    package let mutedUntil: Timestamp?
    /// Whether they have blocked the sender; in a direct conversation, whether either has blocked the other.
    package let isBlocked: Bool
    package let quietHours: QuietHours?
    /// The IANA name of their zone.
    package let timeZone: String?
}

/// A message that somebody may be to be notified of.
package struct PushMessage: Sendable {
    package let record: MessageRecord
    package let conversation: ConversationKey
    /// Whether it is shown to its sender alone.
    package let isWithheld: Bool
}

/// What has happened, and facts to decide by.
package struct PushEventQueries {
    let database: Database

    /// What is yet to be decided, in its order.
    package func events(limit: Int) throws(StoreError) -> [PushEvent] {
        let rows = try database.rows(
            """
            SELECT position, kind, conversation, seq, "user", device, notification, is_urgent, created_at, steady_at, key
            FROM push_events ORDER BY key LIMIT ?
            """, [limit])
        var events: [PushEvent] = []
        while let row = try rows.next() {
            events.append(
                PushEvent(
                    key: PushEvent.Key(value: row[10]), position: StreamPosition(row[0]),
                    subject: try PushEvent.Subject(row), createdAt: row.time(8), steadyAt: row.time(9)))
        }
        return events
    }

    /// The message that was published at a position; `nil` where it is gone.
    package func message(at position: StreamPosition) throws(StoreError) -> PushMessage? {
        let row = try database.row(
            """
            SELECT \(RecordColumn.list), c.key, c.id, c.epoch FROM records r
            JOIN conversations c ON c.key = r.conversation WHERE r.position = ?
            """, [position.value])
        guard let row else { return nil }
        return PushMessage(
            record: try MessageRecord(
                row, conversation: try row.uuid(RecordColumn.end + 1), epoch: row[RecordColumn.end + 2]),
            conversation: ConversationKey(value: row[RecordColumn.end]),
            isWithheld: row.isTrue(RecordColumn.withheld.rawValue))
    }

    /// Where a conversation's places are.
    package struct Log: Hashable, Sendable {
        package let conversation: ConversationID
        package let epoch: String
    }

    package func log(of conversation: ConversationKey) throws(StoreError) -> Log? {
        try database.row("SELECT id, epoch FROM conversations WHERE key = ?", [conversation.value])
            .map { row throws(StoreError) in Log(conversation: try row.uuid(0), epoch: row[1]) }
    }

    /// What was a message of a person, shown to all, and is gone.
    package func removed(at seq: Int, in conversation: ConversationKey) throws(StoreError) -> (
        message: MessageID, sender: UserID
    )? {
        try database.row(
            """
            SELECT id, sender FROM records
            WHERE conversation = ? AND seq = ? AND kind = 0 AND type <> 7 AND withheld = 0 AND content IS NULL
            """, [conversation.value, seq]
        ).map { row throws(StoreError) in (try row.uuid(0), try row.level(1)) }
    }

    /// The members of a conversation but the sender, in the order of their ids.
    package func recipients(
        in conversation: ConversationKey, besides sender: UserID
    ) throws(StoreError) -> [PushRecipient] {
        let rows = try database.rows(
            """
            SELECT m."user", m.joined_seq, m.delivered_seq, m.read_seq, m.is_open, m.is_muted, m.muted_until,
                EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = m."user" AND b.blocked = ?1)
                    OR c.type = 'direct' AND EXISTS (
                        SELECT 1 FROM blocks b WHERE b.blocker = ?1 AND b.blocked = m."user"),
                u.quiet_from, u.quiet_to, u.time_zone
            FROM members m JOIN users u ON u.id = m."user" JOIN conversations c ON c.key = m.conversation
            WHERE m.conversation = ?2 AND m."user" <> ?1
            ORDER BY m."user"
            """, [sender.text, conversation.value])
        var recipients: [PushRecipient] = []
        while let row = try rows.next() { recipients.append(try PushRecipient(row)) }
        return recipients
    }

    /// The quiet hours of users, and their zones.
    package func quietHours(
        of users: some Collection<UserID>
    ) throws(StoreError) -> [UserID: (hours: QuietHours, timeZone: String?)] {
        var found: [UserID: (hours: QuietHours, timeZone: String?)] = [:]
        try database.read(users.map { [.text($0.text)] }, key: "?") { users in
            "SELECT id, quiet_from, quiet_to, time_zone FROM users WHERE id IN (\(users)) AND quiet_from IS NOT NULL"
        } _: { row throws(StoreError) in
            let hours = QuietHours(from: row.text(1), to: row.text(2))
            found[try row.level(0)] = (hours, row.optionalText(3))
        }
        return found
    }

    /// Notifications of feeds that are there and not read.
    package func unreadNotifications(
        _ ids: some Collection<NotificationID>
    ) throws(StoreError) -> [NotificationID: FeedNotification] {
        var found: [NotificationID: FeedNotification] = [:]
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            """
            SELECT n.id, n.type, n.actor, n.subject, n.is_read, n.created_at, n.expires_at FROM notifications n
            WHERE n.id IN (\(ids)) AND n.is_read = 0 AND \(NotificationQueries.isShown)
            """
        } _: { row throws(StoreError) in
            let notification = try FeedNotification(row, from: 0, badge: .countedLater)
            found[notification.id] = notification
        }
        return found
    }

    /// What has come into somebody's feed since a time and was not read, the newest first.
    package func unreadNotifications(
        of user: UserID, since time: Timestamp, limit: Int
    ) throws(StoreError) -> [FeedNotification] {
        let rows = try database.rows(
            """
            SELECT n.id, n.type, n.actor, n.subject, n.is_read, n.created_at, n.expires_at FROM notifications n
            WHERE n."user" = ? AND n.is_read = 0 AND n.created_at >= ? AND \(NotificationQueries.isShown)
            ORDER BY n.number DESC LIMIT ?
            """, [user.text, time.milliseconds, limit])
        var found: [FeedNotification] = []
        while let row = try rows.next() { found.append(try FeedNotification(row, from: 0, badge: .countedLater)) }
        return found
    }

    /// A message that was sent to somebody who may not have received it.
    package struct Undelivered: Sendable {
        package let position: StreamPosition
        package let conversation: ConversationKey
        package let createdAt: Timestamp
        /// Whether the user's devices say what they have received.
        package let acknowledges: Bool
    }

    /// Messages of others since a time that no device of a user has said to have received, of the conversations that were
    /// active last.
    ///
    /// - Parameter limit: of conversations, and of messages of each.
    package func undelivered(
        to user: UserID, since time: Timestamp, limit: Int
    ) throws(StoreError) -> [Undelivered] {
        let rows = try database.rows(
            """
            SELECT m.conversation, m.delivered_seq, m.read_seq, m.joined_seq FROM members m
            WHERE m."user" = ? AND m.is_open = 1 AND m.is_archived = 0 AND m.active_at >= ?
            ORDER BY m.active_at DESC LIMIT ?
            """, [user.text, time.milliseconds, limit])
        let acknowledges = try acknowledges(user, before: time, limit: limit)
        var found: [Undelivered] = []
        while let row = try rows.next() {
            let key = ConversationKey(value: row[0])
            let (delivered, joined) = (row[1] as Int, row[3] as Int)
            let records = try database.rows(
                """
                SELECT r.position, r.created_at FROM records r
                WHERE r.conversation = ? AND r.seq > ? AND r.kind = 0 AND r.type <> 7 AND r.withheld = 0
                    AND r.sender <> ? AND r.created_at >= ?
                ORDER BY r.seq LIMIT ?
                """, [key.value, max(delivered, row[2], joined), user.text, time.milliseconds, limit])
            while let record = try records.next() {
                found.append(
                    Undelivered(
                        position: StreamPosition(record[0]), conversation: key, createdAt: record.time(1),
                        acknowledges: acknowledges))
            }
        }
        return found.sorted { $0.position < $1.position }
    }

    /// Whether a user's devices have said of anything that they have received it. Those of somebody to whom nothing had been sent
    /// before a time are taken to be about to.
    ///
    /// - Parameter limit: of conversations, and of messages of each, that are looked at.
    private func acknowledges(_ user: UserID, before time: Timestamp, limit: Int) throws(StoreError) -> Bool {
        let hasAcknowledged = try database.row(
            #"SELECT 1 FROM members m WHERE m."user" = ? AND m.delivered_seq > m.joined_seq LIMIT 1"#, [user.text])
        guard hasAcknowledged == nil else { return true }
        let wasSentSomething = try database.row(
            """
            SELECT 1 FROM (
                SELECT m.conversation, m.joined_seq FROM members m
                WHERE m."user" = ?1 AND m.is_open = 1 ORDER BY m.active_at DESC LIMIT ?2) AS c
            CROSS JOIN records r
            WHERE r.conversation = c.conversation AND r.seq > c.joined_seq AND r.seq <= c.joined_seq + ?2
                AND r.kind = 0 AND r.type <> 7 AND r.withheld = 0 AND r.sender <> ?1 AND r.created_at < ?3
            LIMIT 1
            """, [user.text, limit, time.milliseconds])
        return wasSentSomething == nil
    }
}

extension PushRecipient {
    fileprivate init(_ row: Row) throws(StoreError) {
        user = try row.level(0)
        joinedSeq = row[1]
        deliveredSeq = row[2]
        readSeq = row[3]
        isOpen = row[4]
        isMuted = row[5]
        mutedUntil = row.optionalTime(6)
        isBlocked = row.isTrue(7)
        let (from, to): (String?, String?) = (row[8], row[9])
        quietHours = if let from, let to { QuietHours(from: from, to: to) } else { nil }
        timeZone = row[10]
    }
}

extension PushEvent.Subject {
    /// How the kinds are stored.
    enum Kind: Int {
        case message, clearing, feed, removal
    }

    /// From the columns that `PushEventQueries.events` selects.
    fileprivate init(_ row: Row) throws(StoreError) {
        let conversation = (row[2] as Int64?).map(ConversationKey.init)
        let (kind, seq, isUrgent) = (Kind(rawValue: row[1]), row[3] as Int?, row.isTrue(7))
        switch (kind, conversation, seq) {
        case (.message, let conversation?, let seq?): self = .message(conversation, seq: seq, isUrgent: isUrgent)
        case (.clearing, let conversation?, let seq?):
            let device: DeviceID? = row.isNull(5) ? nil : try row.level(5)
            self = .clearing(conversation, seq: seq, of: try row.level(4), besides: device)
        case (.removal, let conversation?, let seq?): self = .removal(conversation, seq: seq)
        case (.feed, nil, nil): self = .feed(try row.uuid(6), of: try row.level(4))
        default: throw .inconsistent(.column(1))
        }
    }
}

/// Writes what has happened.
package struct PushEventWrites {
    let database: Database

    package func insert(_ events: [PushEvent]) throws(StoreError) {
        try database.run(events.map(\.columns), row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") { rows in
            """
            INSERT INTO push_events (position, kind, conversation, seq, "user", device, notification, is_urgent,
                created_at, steady_at)
            VALUES \(rows)
            """
        }
    }

    /// Removes what was decided.
    package func remove(_ events: [PushEvent.Key]) throws(StoreError) {
        try database.run(events.map { [.integer($0.value)] }, row: "?") { keys in
            "DELETE FROM push_events WHERE key IN (\(keys))"
        }
    }
}

extension PushEvent {
    fileprivate var columns: [BoundValue] {
        let times: [BoundValue] = [.time(createdAt), .time(steadyAt)]
        switch subject {
        case .message(let conversation, let seq, let isUrgent):
            return [
                .integer(position.value), .integer(Subject.Kind.message.rawValue), .key(conversation), .integer(seq),
                .optionalText(nil), .optionalText(nil), .blob(nil), .bool(isUrgent),
            ] + times
        case .clearing(let conversation, let seq, let user, let device):
            return [
                .integer(position.value), .integer(Subject.Kind.clearing.rawValue), .key(conversation), .integer(seq),
                .text(user.text), .optionalText(device?.text), .blob(nil), .bool(false),
            ] + times
        case .removal(let conversation, let seq):
            return [
                .integer(position.value), .integer(Subject.Kind.removal.rawValue), .key(conversation), .integer(seq),
                .optionalText(nil), .optionalText(nil), .blob(nil), .bool(false),
            ] + times
        case .feed(let notification, let user):
            return [
                .integer(position.value), .integer(Subject.Kind.feed.rawValue), .integer(nil), .integer(nil),
                .text(user.text), .optionalText(nil), .id(notification), .bool(false),
            ] + times
        }
    }
}
