import ParleyProtocol
import ParleyRules

/// A notification for a device that its push service has not accepted yet.
package struct PushJob: Hashable, Sendable {
    /// Of the notification.
    package let id: NotificationID
    package let device: DeviceAddress
    /// The position of what it is about: the jobs of a device are sent in this order, where all positions are of one
    /// stream.
    package let position: StreamPosition
    /// The number of the registration that it goes to.
    package let registration: Int64
    package let provider: PushProvider
    package let type: PushType
    package let conversation: ConversationKey?
    /// Of the message, or the last one that is cleared.
    package let seq: Int?
    /// The item of a feed.
    package let notification: NotificationID?
    /// Of a clearance, the one message that is cleared; `nil` for all up to ``seq``.
    package let message: MessageID?
    package let isUrgent: Bool
    package let createdAt: Timestamp
    /// When it expires, by the steady time.
    package let deadline: Timestamp
    /// This one included.
    package var attempts: Int
    /// How many attempts may have reached the device although their answer was lost.
    package var repeats: Int
    /// Whether other jobs of its device are sent before it.
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

/// Jobs.
package struct PushJobQueries {
    let database: Database

    /// How many there are, by provider.
    package func counts() throws(StoreError) -> [PushProvider: Int] {
        let counts = try database.list("SELECT provider, COUNT(*) FROM jobs GROUP BY provider", []) { row in
            (PushProvider(rawValue: row.text(0)), row.integer(1))
        }
        return counts.reduce(into: [:]) { all, count in if let provider = count.0 { all[provider] = count.1 } }
    }

    /// The jobs of a provider that are due, the earliest first, and the ids of those whose rows cannot be read.
    ///
    /// - Parameter now: the steady time.
    package func due(
        for provider: PushProvider, at now: Timestamp, limit: Int
    ) throws(StoreError) -> (jobs: [PushJob], unreadable: [NotificationID]) {
        var unreadable: [NotificationID] = []
        let jobs = try database.list(
            """
            SELECT \(PushJob.columns) FROM jobs WHERE provider = ? AND due_at IS NOT NULL AND due_at <= ?
            ORDER BY due_at, id LIMIT ?
            """, [provider.rawValue, now.milliseconds, limit]
        ) { row in
            let job = try? PushJob(row)
            if job == nil { unreadable.append(try row.uuid(0)) }
            return job
        }
        return (jobs.compactMap(\.self), unreadable)
    }

    /// How many jobs of a provider are under way, by users.
    package func underWay(for provider: PushProvider) throws(StoreError) -> [UserID: Int] {
        // Grouped here: for a GROUP BY SQLite would go through all jobs in the order of users.
        let users = try database.list(
            #"SELECT "user" FROM jobs WHERE is_under_way = 1 AND provider = ?"#, [provider.rawValue]
        ) { try? $0.level(0) as UserID }
        return Dictionary(users.compactMap { user in user.map { ($0, 1) } }, uniquingKeysWith: +)
    }

    /// When the next job of a provider is due, by the steady time; `nil` for none.
    package func nextDue(for provider: PushProvider) throws(StoreError) -> Timestamp? {
        try database.row(
            "SELECT min(due_at) FROM jobs WHERE provider = ? AND due_at IS NOT NULL", [provider.rawValue])?
            .optionalTime(0)
    }

    /// The jobs of these ids that still exist.
    package func jobs(_ ids: some Collection<NotificationID>) throws(StoreError) -> [NotificationID: PushJob] {
        var found: [NotificationID: PushJob] = [:]
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            "SELECT \(PushJob.columns) FROM jobs WHERE id IN (\(ids))"
        } _: { row in
            guard let job = try? PushJob(row) else { return }
            found[job.id] = job
        }
        return found
    }

    /// How many jobs each of these devices has, and how many of them are not bypassed.
    package func counts(
        of devices: some Collection<DeviceAddress>
    ) throws(StoreError) -> [DeviceAddress: (all: Int, inLine: Int)] {
        let keys = Set(devices).map { [BoundValue.text($0.user.text), .text($0.device.text)] }
        return try database.table(keys, key: "(CAST(? AS TEXT), CAST(? AS TEXT))") { keys in
            """
            SELECT j."user", j.device, count(*), count(CASE WHEN j.is_bypassed = 0 THEN 1 END) FROM (VALUES \(keys)) AS k
            CROSS JOIN jobs j WHERE j."user" = k.column1 AND j.device = k.column2
            GROUP BY j."user", j.device
            """
        } _: { row in
            (DeviceAddress(user: try row.level(0), device: try row.level(1)), (row.integer(2), row.integer(3)))
        }
    }

    /// Whether an earlier message of the conversation, which was bypassed, is under way to the same device.
    package func isEarlierUnderWay(than job: PushJob) throws(StoreError) -> Bool {
        try exists("is_bypassed = 1 AND (seq, position) < (?, ?) AND is_under_way = 1", job)
    }

    /// Whether the same device has a later job that says all that this one does: of the same conversation, and clearing
    /// as much.
    package func hasLater(than job: PushJob) throws(StoreError) -> Bool {
        guard job.message == nil else { return false }
        return try exists("(seq, position) > (?, ?) AND (type <> 'clear' OR seq >= ?)", job, [job.seq ?? 0])
    }

    /// Whether the device has another job of the conversation and type that matches a condition.
    ///
    /// - Parameter condition: first on the `seq` and the position.
    private func exists(
        _ condition: String, _ job: PushJob, _ more: Arguments = []
    ) throws(StoreError) -> Bool {
        guard let conversation = job.conversation else { return false }
        let arguments: Arguments = [
            job.device.user.text, job.device.device.text, conversation.value, job.type.rawValue, job.seq,
            job.position.value,
        ]
        return try database.row(
            """
            SELECT 1 FROM jobs WHERE "user" = ? AND device = ? AND conversation = ? AND type = ? AND \(condition)
            LIMIT 1
            """, arguments + more) != nil
    }
}

extension PushJob {
    /// The most jobs of one device.
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
            type: type, conversation: row.isNull(7) ? nil : row.key(7), seq: row.optionalInteger(8),
            notification: try row.optionalUUID(9),
            message: try row.optionalUUID(15), isUrgent: row.isTrue(10), createdAt: row.time(11),
            deadline: row.time(12), attempts: row.integer(13), repeats: row.integer(14),
            isBypassed: row.isTrue(16))
    }
}
