import GRDB
import ParleyProtocol
import ParleyRules

/// Something that has happened, of which somebody may be to be notified. It is stored in the transaction that stores
/// what has happened, and removed in the one that stores what was decided.
package struct PushEvent: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        case message(ConversationKey, seq: Int, isUrgent: Bool)
        /// What somebody's devices show of a conversation up to a place is to be taken away, but on the device that has
        /// done it.
        case clearing(ConversationKey, seq: Int, of: UserID, besides: DeviceID?)
        /// A message is gone: it was deleted, or has disappeared.
        case removal(ConversationKey, seq: Int)
        /// Something has come into somebody's feed.
        case feed(NotificationID, of: UserID)
        /// The registration of a device has ended: nothing is on its way to it any more.
        case registrationEnd(DeviceAddress)
        /// The registration of a device was replaced: what waits for the device goes to the new one.
        case registrationChange(DeviceAddress)
        /// The quiet hours of somebody are others.
        case quietHours(of: UserID)
        /// An operator tests a device.
        case test(NotificationID, to: DeviceAddress)
    }

    /// What it is stored under; `nil` where it is not.
    package let key: Key?
    /// At which it was published; 0 of what is not.
    package let position: StreamPosition
    package let subject: Subject
    package let createdAt: Timestamp
    /// The same by the steady time.
    package let steadyAt: Timestamp

    /// They are decided in the order of their keys. One may be given again when its event is removed.
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

    /// Whether it is yet to be decided whom to notify of the message that was published there.
    package func isUndecided(_ position: StreamPosition) throws(StoreError) -> Bool {
        try database.row("SELECT 1 FROM push_events WHERE position = ? AND kind = 0", [position.value]) != nil
    }

    /// The test that has this id and is not yet on its way.
    package func test(_ id: NotificationID) throws(StoreError) -> (device: DeviceAddress, at: Timestamp)? {
        try database.row(
            #"SELECT "user", device, created_at FROM push_events WHERE notification = ? AND kind = 7"#, [id.blob]
        ).map { row throws(StoreError) in
            (DeviceAddress(user: try row.level(0), device: try row.level(1)), row.time(2))
        }
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
}

extension PushEvent.Subject {
    /// How the kinds are stored.
    enum Kind: Int {
        case message, clearing, feed, removal, registrationEnd, registrationChange, quietHours, test
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
        case (.registrationEnd, nil, nil): self = .registrationEnd(try row.device)
        case (.registrationChange, nil, nil): self = .registrationChange(try row.device)
        case (.quietHours, nil, nil): self = .quietHours(of: try row.level(4))
        case (.test, nil, nil): self = .test(try row.uuid(6), to: try row.device)
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

    /// The registration of a device has ended, or was replaced.
    ///
    /// - Parameter now: the time of day.
    func insert(_ subject: PushEvent.Subject, at now: Timestamp) throws(StoreError) {
        try insert([PushEvent(position: StreamPosition(0), subject: subject, createdAt: now, steadyAt: now)])
    }

    /// Removes what was decided.
    package func remove(through key: PushEvent.Key) throws(StoreError) {
        try database.run("DELETE FROM push_events WHERE key <= ?", [key.value])
    }
}

extension Row {
    /// The device that an event is about.
    fileprivate var device: DeviceAddress {
        get throws(StoreError) { DeviceAddress(user: try level(4), device: try level(5)) }
    }
}

extension PushEvent {
    fileprivate var columns: [BoundValue] {
        switch subject {
        case .message(let conversation, let seq, let isUrgent):
            columns(.message, conversation, seq, isUrgent: isUrgent)
        case .clearing(let conversation, let seq, let user, let device):
            columns(.clearing, conversation, seq, user: user, device: device)
        case .removal(let conversation, let seq): columns(.removal, conversation, seq)
        case .feed(let notification, let user): columns(.feed, user: user, notification: notification)
        case .registrationEnd(let device): columns(.registrationEnd, user: device.user, device: device.device)
        case .registrationChange(let device): columns(.registrationChange, user: device.user, device: device.device)
        case .quietHours(let user): columns(.quietHours, user: user)
        case .test(let notification, let device):
            columns(.test, user: device.user, device: device.device, notification: notification)
        }
    }

    private func columns(
        _ kind: Subject.Kind, _ conversation: ConversationKey? = nil, _ seq: Int? = nil, user: UserID? = nil,
        device: DeviceID? = nil, notification: NotificationID? = nil, isUrgent: Bool = false
    ) -> [BoundValue] {
        [
            .integer(position.value), .integer(kind.rawValue), .integer(conversation.map { Int($0.value) }),
            .integer(seq), .optionalText(user?.text), .optionalText(device?.text),
            .blob(notification?.value.bytes), .bool(isUrgent), .time(createdAt), .time(steadyAt),
        ]
    }
}
