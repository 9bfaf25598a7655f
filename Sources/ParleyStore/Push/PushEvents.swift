import ParleyProtocol
import ParleyRules

/// Something that may have to be notified of. The transaction of what happened stores it, and the one that carries out
/// the decision removes it.
package struct PushEvent: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        case message(ConversationKey, seq: Int, isUrgent: Bool)
        /// A user's devices clear a conversation up to a message, but for the device that has caused it.
        case clearing(ConversationKey, seq: Int, of: UserID, besides: DeviceID?)
        /// A message was deleted, or has disappeared.
        case removal(ConversationKey, seq: Int)
        /// An item has come into a user's feed.
        case feed(NotificationID, of: UserID)
        /// The registration of a device has ended: its jobs are dropped.
        case registrationEnd(DeviceAddress)
        /// The registration of a device was replaced: its jobs go to the new one.
        case registrationChange(DeviceAddress)
        /// A user's quiet hours have changed.
        case quietHours(of: UserID)
        /// An operator tests a device.
        case test(NotificationID, to: DeviceAddress)
    }

    /// `nil` before it is stored.
    package let key: Key?
    /// The position of what happened; 0 for what has none.
    package let position: StreamPosition
    package let subject: Subject
    package let createdAt: Timestamp
    /// The same by the steady time.
    package let steadyAt: Timestamp

    /// Events are decided in the order of their keys. The key of a removed event may be used again.
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

package struct PushMessage: Sendable {
    package let record: MessageRecord
    package let conversation: ConversationKey
    /// Whether it is shown to its sender alone.
    package let isWithheld: Bool
}

/// Events, and facts to decide them by.
package struct PushEventQueries {
    let database: Database

    private static let selection = """
        SELECT position, kind, conversation, seq, "user", device, notification, is_urgent, created_at, steady_at, key
        FROM push_events
        """

    /// The events of this gateway that are not decided yet, in their order.
    package func events(limit: Int) throws(StoreError) -> [PushEvent] {
        try database.list(
            "\(PushEventQueries.selection) WHERE +position >= ? AND +position < ? ORDER BY key LIMIT ?",
            [database.stream.start.value, database.stream.end.value, limit]
        ) { try PushEvent($0) }
    }

    /// The same of gateways that are gone.
    ///
    /// - Parameter streams: of those that are there, this one among them.
    package func events(besides streams: [Stream], limit: Int) throws(StoreError) -> [PushEvent] {
        let condition = streams.map { _ in "NOT (position >= ? AND position < ?)" }.joined(separator: " AND ")
        let arguments = streams.flatMap { [BoundValue.integer($0.start.value), .integer($0.end.value)] }
        return try database.list(
            "\(PushEventQueries.selection) WHERE \(condition) ORDER BY key LIMIT ?",
            Arguments(arguments + [.integer(limit)])
        ) { try PushEvent($0) }
    }

    /// Whether the event of the message at a position is not decided yet.
    package func isUndecided(_ position: StreamPosition) throws(StoreError) -> Bool {
        try database.row("SELECT 1 FROM push_events WHERE position = ? AND kind = 0", [position.value]) != nil
    }

    /// The test of this id that has no job yet.
    package func test(_ id: NotificationID) throws(StoreError) -> (device: DeviceAddress, at: Timestamp)? {
        try database.first(
            #"SELECT "user", device, created_at FROM push_events WHERE notification = ? AND kind = 7"#, [id.blob]
        ) { row in (DeviceAddress(user: try row.level(0), device: try row.level(1)), row.time(2)) }
    }

    /// The message at a position; `nil` where it is gone.
    package func message(at position: StreamPosition) throws(StoreError) -> PushMessage? {
        try database.first(
            """
            SELECT \(RecordColumn.list), c.key, c.id, c.epoch FROM records r
            JOIN conversations c ON c.key = r.conversation WHERE r.position = ?
            """, [position.value]
        ) { row in
            PushMessage(
                record: try MessageRecord(
                    row, conversation: try row.uuid(RecordColumn.end + 1), epoch: row[RecordColumn.end + 2]),
                conversation: row.key(RecordColumn.end), isWithheld: row.isTrue(RecordColumn.withheld.rawValue))
        }
    }

    /// A conversation as clients know it.
    package struct Log: Hashable, Sendable {
        package let conversation: ConversationID
        package let epoch: String
    }

    package func log(of conversation: ConversationKey) throws(StoreError) -> Log? {
        try database.first("SELECT id, epoch FROM conversations WHERE key = ?", [conversation.value]) { row in
            Log(conversation: try row.uuid(0), epoch: row[1])
        }
    }

    /// A message of a person, shown to all, that was deleted or has disappeared.
    package func removed(at seq: Int, in conversation: ConversationKey) throws(StoreError) -> (
        message: MessageID, sender: UserID
    )? {
        try database.first(
            """
            SELECT id, sender FROM records
            WHERE conversation = ? AND seq = ? AND kind = 0 AND type <> 7 AND withheld = 0 AND content IS NULL
            """, [conversation.value, seq]
        ) { row in (try row.uuid(0), try row.level(1)) }
    }

    package func quietHours(
        of users: some Collection<UserID>
    ) throws(StoreError) -> [UserID: (hours: QuietHours, timeZone: String?)] {
        try database.table(users.map { [.text($0.text)] }, key: "?") { users in
            "SELECT id, quiet_from, quiet_to, time_zone FROM users WHERE id IN (\(users)) AND quiet_from IS NOT NULL"
        } _: { row in
            (try row.level(0), (QuietHours(from: row.text(1), to: row.text(2)), row.optionalText(3)))
        }
    }

    private static let feedColumns = "n.id, n.type, n.actor, n.subject, n.is_read, n.created_at, n.expires_at"

    /// Unread items of feeds.
    package func unreadNotifications(
        _ ids: some Collection<NotificationID>
    ) throws(StoreError) -> [NotificationID: FeedNotification] {
        try database.table(ids.map { [.id($0)] }, key: "?") { ids in
            """
            SELECT \(PushEventQueries.feedColumns) FROM notifications n
            WHERE n.id IN (\(ids)) AND n.is_read <> 1 AND \(NotificationQueries.isShown)
            """
        } _: { row in
            let notification = try FeedNotification(row, from: 0, badge: .countedLater)
            return (notification.id, notification)
        }
    }

    /// Unread items of a user's feed since a time, the newest first.
    package func unreadNotifications(
        of user: UserID, since time: Timestamp, limit: Int
    ) throws(StoreError) -> [FeedNotification] {
        try database.list(
            """
            SELECT \(PushEventQueries.feedColumns) FROM notifications n
            WHERE n."user" = ? AND n.is_read = 0 AND n.created_at >= ? AND \(NotificationQueries.isShown)
            ORDER BY n.number DESC LIMIT ?
            """, [user.text, time.milliseconds, limit]
        ) { row in try FeedNotification(row, from: 0, badge: .countedLater) }
    }
}

extension PushEvent.Subject {
    /// How the kinds are stored.
    enum Kind: Int {
        case message, clearing, feed, removal, registrationEnd, registrationChange, quietHours, test
    }

    /// From the columns that `PushEventQueries` selects.
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

/// Writes events.
package struct PushEventWrites {
    let database: Database

    package func insert(_ events: [PushEvent]) throws(StoreError) {
        guard case .remote = database.engine else { return try insert(all: events) }
        try insert(all: events.filter { !$0.subject.takesAway })
        try insertDisplayed(events.filter(\.subject.takesAway))
    }

    static let target = """
        INSERT INTO push_events (position, kind, conversation, seq, "user", device, notification, is_urgent,
            created_at, steady_at)
        """

    private func insert(all events: [PushEvent]) throws(StoreError) {
        try database.run(events.map { $0.columns(database.stream) }, row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") { rows in
            "\(PushEventWrites.target) VALUES \(rows)"
        }
    }

    /// Adds the event of a registration.
    ///
    /// - Parameter now: the time of day.
    func insert(_ subject: PushEvent.Subject, at now: Timestamp) throws(StoreError) {
        try insert([PushEvent(position: database.stream.start, subject: subject, createdAt: now, steadyAt: now)])
    }

    /// Removes decided events.
    package func remove(through key: PushEvent.Key) throws(StoreError) {
        try database.run(
            "DELETE FROM push_events WHERE key <= ? AND position >= ? AND position < ?",
            [key.value, database.stream.start.value, database.stream.end.value])
    }
}

extension Row {
    /// The device that an event is about.
    fileprivate var device: DeviceAddress {
        get throws(StoreError) { DeviceAddress(user: try level(4), device: try level(5)) }
    }
}

extension PushEvent.Subject {
    /// Whether it matters only where something is displayed.
    fileprivate var takesAway: Bool {
        switch self {
        case .clearing, .removal: true
        case .message, .feed, .registrationEnd, .registrationChange, .quietHours, .test: false
        }
    }
}

extension PushEvent {
    /// From the columns that `PushEventQueries` selects.
    fileprivate init(_ row: Row) throws(StoreError) {
        self.init(
            key: PushEvent.Key(value: row[10]), position: StreamPosition(row[0]),
            subject: try PushEvent.Subject(row), createdAt: row.time(8), steadyAt: row.time(9))
    }

    /// - Parameter stream: at the start of which stands what has no position.
    func columns(_ stream: Stream) -> [BoundValue] {
        [.integer(max(position, stream.start).value)] + columnsOfSubject
    }

    private var columnsOfSubject: [BoundValue] {
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
            .integer(kind.rawValue), .integer(conversation.map { Int($0.value) }),
            .integer(seq), .optionalText(user?.text), .optionalText(device?.text),
            .blob(notification?.value.bytes), .bool(isUrgent), .time(createdAt), .time(steadyAt),
        ]
    }
}
