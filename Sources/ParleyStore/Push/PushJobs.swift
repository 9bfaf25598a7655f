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
    package let isUrgent: Bool
    package let createdAt: Timestamp
    /// After that it is of no use, by the steady time.
    package let deadline: Timestamp
    /// How often it was tried, this time counted.
    package var attempts: Int
    /// How often the device may have got it although no answer was seen.
    package var repeats: Int

    package init(
        id: NotificationID, device: DeviceAddress, position: StreamPosition, registration: Int64,
        provider: PushProvider, type: PushType, conversation: ConversationKey? = nil, seq: Int? = nil,
        notification: NotificationID? = nil, isUrgent: Bool, createdAt: Timestamp, deadline: Timestamp,
        attempts: Int = 0, repeats: Int = 0
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
        self.isUrgent = isUrgent
        self.createdAt = createdAt
        self.deadline = deadline
        self.attempts = attempts
        self.repeats = repeats
    }
}

/// Notifications on their way, and what devices may show.
package struct PushJobQueries {
    let database: Database

    /// Those of a provider that are due, the earliest first.
    ///
    /// - Parameter now: the steady time.
    package func due(for provider: PushProvider, at now: Timestamp, limit: Int) throws(StoreError) -> [PushJob] {
        let rows = try database.rows(
            """
            SELECT \(PushJob.columns) FROM push_jobs WHERE provider = ? AND due_at IS NOT NULL AND due_at <= ?
            ORDER BY due_at, id LIMIT ?
            """, [provider.rawValue, now.milliseconds, limit])
        var jobs: [PushJob] = []
        // What a later version has written, and this one cannot read, waits for that.
        while let row = try rows.next() { if let job = try? PushJob(row) { jobs.append(job) } }
        return jobs
    }

    /// When the next of a provider is due, by the steady time; `nil` while none is.
    package func nextDue(for provider: PushProvider) throws(StoreError) -> Timestamp? {
        try database.row(
            "SELECT min(due_at) FROM push_jobs WHERE provider = ? AND due_at IS NOT NULL", [provider.rawValue])?
            .optionalTime(0)
    }

    /// Those of these that are there still.
    package func jobs(_ ids: some Collection<NotificationID>) throws(StoreError) -> [NotificationID: PushJob] {
        var found: [NotificationID: PushJob] = [:]
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            "SELECT \(PushJob.columns) FROM push_jobs WHERE id IN (\(ids))"
        } _: { row throws(StoreError) in
            guard let job = try? PushJob(row) else { return }
            found[job.id] = job
        }
        return found
    }

    /// How many are on their way to each of these devices.
    package func counts(of devices: some Collection<DeviceAddress>) throws(StoreError) -> [DeviceAddress: Int] {
        var counts: [DeviceAddress: Int] = [:]
        let keys = Set(devices).map { [BoundValue.text($0.user.text), .text($0.device.text)] }
        try database.read(keys, key: "(CAST(? AS TEXT), CAST(? AS TEXT))") { keys in
            """
            SELECT j."user", j.device, count(*) FROM (VALUES \(keys)) AS k
            CROSS JOIN push_jobs j WHERE j."user" = k.column1 AND j.device = k.column2
            GROUP BY j."user", j.device
            """
        } _: { row throws(StoreError) in
            counts[DeviceAddress(user: try row.level(0), device: try row.level(1))] = row.integer(2)
        }
        return counts
    }

    /// Whether a later message of the same conversation is on its way to the same device.
    package func hasLater(than job: PushJob) throws(StoreError) -> Bool {
        guard let conversation = job.conversation else { return false }
        return try database.row(
            """
            SELECT 1 FROM push_jobs WHERE "user" = ? AND device = ? AND position > ? AND conversation = ? AND type = ?
            LIMIT 1
            """,
            [
                job.device.user.text, job.device.device.text, job.position.value, conversation.value,
                job.type.rawValue,
            ]) != nil
    }
}

extension PushJob {
    /// How many wait for one device at most.
    package static let mostOfDevice = 256

    fileprivate static let columns = """
        id, "user", device, position, registration, provider, type, conversation, seq, notification, is_urgent,
        created_at, deadline, attempts, repeats
        """

    fileprivate init(_ row: some ColumnReader) throws(StoreError) {
        guard let provider = PushProvider(rawValue: row.text(5)) else { throw .inconsistent(.column(5)) }
        guard let type = PushType(rawValue: row.text(6)) else { throw .inconsistent(.column(6)) }
        self.init(
            id: try row.uuid(0), device: DeviceAddress(user: try row.level(1), device: try row.level(2)),
            position: StreamPosition(row.integer(3)), registration: Int64(row.integer(4)), provider: provider,
            type: type, conversation: row.isNull(7) ? nil : ConversationKey(value: Int64(row.integer(7))),
            seq: row.isNull(8) ? nil : row.integer(8), notification: row.isNull(9) ? nil : try row.uuid(9),
            isUrgent: row.isTrue(10), createdAt: row.time(11), deadline: row.time(12), attempts: row.integer(13),
            repeats: row.integer(14))
    }
}

/// Writes notifications on their way, and what devices may show.
package struct PushJobWrites {
    let database: Database

    /// Adds notifications, each after those that are on their way to its device already. One that is on its way stays as it
    /// is.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: the ids of those that wait no more, because so many wait for their device: the oldest of it.
    package func insert(_ jobs: [PushJob], now: Timestamp) throws(StoreError) -> [NotificationID] {
        guard !jobs.isEmpty else { return [] }
        var waiting = try PushJobQueries(database: database).counts(of: Set(jobs.map(\.device)))
        let rows = jobs.map { job -> [BoundValue] in
            let isFirst = waiting[job.device] == nil
            waiting[job.device, default: 0] += 1
            return [
                .id(job.id), .text(job.device.user.text), .text(job.device.device.text),
                .integer(job.position.value), .integer(Int(job.registration)), .text(job.provider.rawValue),
                .text(job.type.rawValue), .integer(job.conversation.map { Int($0.value) }), .integer(job.seq),
                .blob(job.notification?.value.bytes), .bool(job.isUrgent), .time(job.createdAt), .time(job.deadline),
                .time(isFirst ? now : nil), .bool(false), .integer(job.attempts), .integer(job.repeats),
            ]
        }
        try database.run(rows, row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") { rows in
            """
            INSERT INTO push_jobs (id, "user", device, position, registration, provider, type, conversation, seq,
                notification, is_urgent, created_at, deadline, due_at, is_under_way, attempts, repeats)
            VALUES \(rows) ON CONFLICT (id) DO NOTHING
            """
        }
        var dropped: [NotificationID] = []
        for (device, count) in waiting where count > PushJob.mostOfDevice {
            dropped += try dropOldest(count - PushJob.mostOfDevice, of: device)
        }
        return dropped
    }

    private func dropOldest(_ count: Int, of device: DeviceAddress) throws(StoreError) -> [NotificationID] {
        let rows = try database.rows(
            """
            SELECT id FROM push_jobs WHERE "user" = ? AND device = ? AND due_at IS NULL AND is_under_way = 0
            ORDER BY position, id LIMIT ?
            """, [device.user.text, device.device.text, count])
        var ids: [NotificationID] = []
        while let row = try rows.next() { ids.append(try row.uuid(0)) }
        try database.run(ids.map { [.id($0)] }, row: "?") { "DELETE FROM push_jobs WHERE id IN (\($0))" }
        return ids
    }

    /// These are being sent from when the transaction is committed.
    package func begin(_ ids: [NotificationID]) throws(StoreError) {
        try database.run(ids.map { [.id($0)] }, row: "?") { ids in
            "UPDATE push_jobs SET due_at = NULL, is_under_way = 1, attempts = attempts + 1 WHERE id IN (\(ids))"
        }
    }

    /// One is to be sent again.
    ///
    /// - Parameters:
    ///   - due: by the steady time.
    ///   - attempts: how many count so far.
    ///   - isUncertain: whether the device may have got it.
    package func retry(
        _ id: NotificationID, at due: Timestamp, attempts: Int, isUncertain: Bool
    ) throws(StoreError) {
        try database.run(
            """
            UPDATE push_jobs SET due_at = ?, is_under_way = 0, attempts = ?, repeats = repeats + ? WHERE id = ?
            """, [due.milliseconds, attempts, isUncertain ? 1 : 0, id.blob])
    }

    /// One is done, or given up: the next of its device is due.
    ///
    /// - Parameter now: the steady time.
    package func finish(_ job: PushJob, now: Timestamp) throws(StoreError) {
        try database.run("DELETE FROM push_jobs WHERE id = ?", [job.id.blob])
        try database.run(
            """
            UPDATE push_jobs SET due_at = ? WHERE is_under_way = 0 AND due_at IS NULL AND id = (
                SELECT id FROM push_jobs WHERE "user" = ? AND device = ? ORDER BY position, id LIMIT 1)
            """, [now.milliseconds, job.device.user.text, job.device.device.text])
    }

    /// What an earlier process was sending when it ended is sent again; its devices may have got it.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: how many there are.
    package func resume(now: Timestamp) throws(StoreError) -> Int {
        try database.run(
            """
            UPDATE push_traces SET repeats = repeats + 1 WHERE id IN (SELECT id FROM push_jobs WHERE is_under_way = 1)
            """)
        try database.run(
            """
            UPDATE push_jobs SET due_at = ?, is_under_way = 0, repeats = repeats + 1 WHERE is_under_way = 1
            """, [now.milliseconds])
        return database.changesCount
    }

    /// What is under way without an outcome when nothing is sent any more was never sent: it is due again.
    ///
    /// - Parameter now: the steady time.
    package func release(now: Timestamp) throws(StoreError) {
        try database.run(
            """
            UPDATE push_jobs SET due_at = ?, is_under_way = 0,
                attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END
            WHERE is_under_way = 1
            """, [now.milliseconds])
    }

    /// The database was put back to an earlier time: what was on its way then may have arrived long ago.
    ///
    /// - Returns: how many there were.
    package func removeAll() throws(StoreError) -> Int {
        try database.run("DELETE FROM push_events")
        try database.run("DELETE FROM push_jobs")
        return database.changesCount
    }

    /// Removes what was on its way to a device that is not registered any more, and says so in its traces.
    ///
    /// - Parameter now: the time of day.
    func removeAll(of device: DeviceAddress, at now: Timestamp) throws(StoreError) {
        let (user, device) = (device.user.text, device.device.text)
        try database.run(
            """
            UPDATE push_traces SET answered_at = ?, answer = 'the device is not registered any more' WHERE id IN (
                SELECT id FROM push_jobs WHERE "user" = ? AND device = ?)
            """, [now.milliseconds, user, device])
        try database.run(#"DELETE FROM push_jobs WHERE "user" = ? AND device = ?"#, [user, device])
    }

    /// Ends a registration that the provider says is none any more, unless the device has registered again.
    ///
    /// - Parameters:
    ///   - time: since when it is none; `nil` if the provider does not say.
    ///   - now: the time of day.
    /// - Returns: whether there was one.
    package func endRegistration(
        _ number: Int64, of device: DeviceAddress, since time: Timestamp?, at now: Timestamp
    ) throws(StoreError) -> Bool {
        try database.run(
            """
            DELETE FROM push_registrations WHERE "user" = ? AND device = ? AND number = ? AND registered_at <= ?
            """,
            [device.user.text, device.device.text, number, time?.milliseconds ?? .max])
        guard database.changesCount > 0 else { return false }
        try removeAll(of: device, at: now)
        return true
    }
}
