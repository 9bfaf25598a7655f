import GRDB
import ParleyProtocol
import ParleyRules

/// A notification on its way to a device.
package struct PushJob: Hashable, Sendable {
    /// Of the notification.
    package let id: NotificationID
    package let device: DeviceAddress
    /// What it is about was published there: those of one device go out in this order.
    package let position: StreamPosition
    /// The number of the registration that it goes to.
    package let registration: Int64
    package let provider: PushProvider
    package let type: PushType
    package let conversation: ConversationKey?
    /// Of the message, or read up to.
    package let seq: Int?
    /// The notification of a feed that it is.
    package let notification: NotificationID?
    /// Of what takes something away, the one message that it is; `nil` for all up to ``seq``.
    package let message: MessageID?
    package let isUrgent: Bool
    package let createdAt: Timestamp
    /// After that it is of no use, by the steady time.
    package let deadline: Timestamp
    /// How often it was tried, this time counted.
    package var attempts: Int
    /// How often the device may have got it although no answer was seen.
    package var repeats: Int
    /// Whether the others of its device do not wait for it.
    package var isBypassed: Bool

    package init(
        id: NotificationID, device: DeviceAddress, position: StreamPosition, registration: Int64,
        provider: PushProvider, type: PushType, conversation: ConversationKey? = nil, seq: Int? = nil,
        notification: NotificationID? = nil, message: MessageID? = nil, isUrgent: Bool, createdAt: Timestamp,
        deadline: Timestamp, attempts: Int = 0, repeats: Int = 0, isBypassed: Bool = false
    ) {
        self.id = id
        self.device = device
        self.position = position
        self.registration = registration
        self.provider = provider
        self.type = type
        self.conversation = conversation
        self.seq = seq
        self.notification = notification
        self.message = message
        self.isUrgent = isUrgent
        self.createdAt = createdAt
        self.deadline = deadline
        self.attempts = attempts
        self.repeats = repeats
        self.isBypassed = isBypassed
    }
}

/// Notifications on their way, and what devices may show.
package struct PushJobQueries {
    let database: Database

    /// The jobs of a provider that are due, the earliest first, and the ids of those whose rows cannot be read.
    ///
    /// - Parameter now: the steady time.
    package func due(
        for provider: PushProvider, at now: Timestamp, limit: Int
    ) throws(StoreError) -> (jobs: [PushJob], unreadable: [NotificationID]) {
        let rows = try database.rows(
            """
            SELECT \(PushJob.columns) FROM jobs WHERE provider = ? AND due_at IS NOT NULL AND due_at <= ?
            ORDER BY due_at, id LIMIT ?
            """, [provider.rawValue, now.milliseconds, limit])
        var (jobs, unreadable): ([PushJob], [NotificationID]) = ([], [])
        while let row = try rows.next() {
            if let job = try? PushJob(row) { jobs.append(job) } else { unreadable.append(try row.uuid(0)) }
        }
        return (jobs, unreadable)
    }

    /// How many of a provider are under way, by whose devices they go to.
    package func underWay(for provider: PushProvider) throws(StoreError) -> [UserID: Int] {
        // Grouped here: for a GROUP BY SQLite would go through all jobs in the order of users.
        let rows = try database.rows(
            #"SELECT "user" FROM jobs WHERE is_under_way = 1 AND provider = ?"#, [provider.rawValue])
        var counts: [UserID: Int] = [:]
        while let row = try rows.next() { counts[try row.level(0), default: 0] += 1 }
        return counts
    }

    /// When the next of a provider is due, by the steady time; `nil` while none is.
    package func nextDue(for provider: PushProvider) throws(StoreError) -> Timestamp? {
        try database.row(
            "SELECT min(due_at) FROM jobs WHERE provider = ? AND due_at IS NOT NULL", [provider.rawValue])?
            .optionalTime(0)
    }

    /// Those of these that are there still.
    package func jobs(_ ids: some Collection<NotificationID>) throws(StoreError) -> [NotificationID: PushJob] {
        var found: [NotificationID: PushJob] = [:]
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            "SELECT \(PushJob.columns) FROM jobs WHERE id IN (\(ids))"
        } _: { row throws(StoreError) in
            guard let job = try? PushJob(row) else { return }
            found[job.id] = job
        }
        return found
    }

    /// How many are on their way to each of these devices, and how many of them wait in its line.
    package func counts(
        of devices: some Collection<DeviceAddress>
    ) throws(StoreError) -> [DeviceAddress: (all: Int, inLine: Int)] {
        var counts: [DeviceAddress: (all: Int, inLine: Int)] = [:]
        let keys = Set(devices).map { [BoundValue.text($0.user.text), .text($0.device.text)] }
        try database.read(keys, key: "(CAST(? AS TEXT), CAST(? AS TEXT))") { keys in
            """
            SELECT j."user", j.device, count(*), count(CASE WHEN j.is_bypassed = 0 THEN 1 END) FROM (VALUES \(keys)) AS k
            CROSS JOIN jobs j WHERE j."user" = k.column1 AND j.device = k.column2
            GROUP BY j."user", j.device
            """
        } _: { row throws(StoreError) in
            let device = DeviceAddress(user: try row.level(0), device: try row.level(1))
            counts[device] = (all: row.integer(2), inLine: row.integer(3))
        }
        return counts
    }

    /// Whether one that is bypassed and would be shown in place of this is under way to the same device: an earlier
    /// message of the same conversation.
    package func isEarlierUnderWay(than job: PushJob) throws(StoreError) -> Bool {
        guard let conversation = job.conversation else { return false }
        return try database.row(
            """
            SELECT 1 FROM jobs WHERE "user" = ? AND device = ? AND is_bypassed = 1 AND position < ?
                AND conversation = ? AND type = ? AND is_under_way = 1
            LIMIT 1
            """,
            [
                job.device.user.text, job.device.device.text, job.position.value, conversation.value,
                job.type.rawValue,
            ]) != nil
    }

    /// Whether one that says all that this does is on its way to the same device: a later message of the same
    /// conversation, or what takes away as much.
    package func hasLater(than job: PushJob) throws(StoreError) -> Bool {
        guard let conversation = job.conversation, job.message == nil else { return false }
        return try database.row(
            """
            SELECT 1 FROM jobs WHERE "user" = ? AND device = ? AND position > ? AND conversation = ? AND type = ?
                AND (type <> 'clear' OR seq >= ?)
            LIMIT 1
            """,
            [
                job.device.user.text, job.device.device.text, job.position.value, conversation.value,
                job.type.rawValue, job.seq ?? 0,
            ]) != nil
    }
}

extension PushJob {
    /// How many wait for one device at most.
    package static let mostOfDevice = 256

    fileprivate static let columns = """
        id, "user", device, position, registration, provider, type, conversation, seq, notification, is_urgent,
        created_at, deadline, attempts, repeats, message, is_bypassed
        """

    fileprivate init(_ row: some ColumnReader) throws(StoreError) {
        guard let type = PushType(rawValue: row.text(6)) else { throw .inconsistent(.column(6)) }
        self.init(
            id: try row.uuid(0), device: DeviceAddress(user: try row.level(1), device: try row.level(2)),
            position: StreamPosition(row.integer(3)), registration: Int64(row.integer(4)), provider: try row.choice(5),
            type: type, conversation: row.isNull(7) ? nil : ConversationKey(value: Int64(row.integer(7))),
            seq: row.isNull(8) ? nil : row.integer(8), notification: try row.optionalUUID(9),
            message: try row.optionalUUID(15), isUrgent: row.isTrue(10), createdAt: row.time(11),
            deadline: row.time(12), attempts: row.integer(13), repeats: row.integer(14),
            isBypassed: row.isTrue(16))
    }
}
