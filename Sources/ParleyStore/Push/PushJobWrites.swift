import ParleyProtocol
import ParleyRules

/// Writes jobs.
package struct PushJobWrites {
    let database: Database
    let lease: PushLease?

    /// By what the jobs of a device stand in line. Positions in streams of several gateways cannot be compared: there
    /// it is by when they came.
    private var line: String { lease == nil ? "position" : "arrival" }

    /// Adds jobs, each behind those that its device has. A job that exists stays as it is.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: the ids of jobs that are dropped because their device has too many: first bypassed ones, then
    ///   clearances of one message, then the others, the oldest of each first.
    package func insert(_ jobs: [PushJob], now: Timestamp) throws(StoreError) -> [NotificationID] {
        guard !jobs.isEmpty else { return [] }
        var waiting = try PushJobQueries(database: database).counts(of: Set(jobs.map(\.device)))
        let rows = jobs.map { job -> [BoundValue] in
            var (all, inLine) = waiting[job.device] ?? (0, 0)
            let isFirst = inLine == 0
            (all, inLine) = (all + 1, inLine + 1)
            waiting[job.device] = (all, inLine)
            return [
                .id(job.id), .text(job.device.user.text), .text(job.device.device.text),
                .integer(job.position.value), .integer(Int(job.registration)), .text(job.provider.rawValue),
                .text(job.type.rawValue), .integer(job.conversation.map { Int($0.value) }), .integer(job.seq),
                .blob(job.notification?.value.bytes), .bool(job.isUrgent), .time(job.createdAt), .time(job.deadline),
                .time(isFirst ? now : nil), .bool(false), .integer(job.attempts), .integer(job.repeats),
                .blob(job.message?.value.bytes),
            ]
        }
        try database.run(rows, row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") { rows in
            """
            INSERT INTO jobs (id, "user", device, position, registration, provider, type, conversation, seq,
                notification, is_urgent, created_at, deadline, due_at, is_under_way, attempts, repeats,
                message)
            VALUES \(rows) ON CONFLICT (id) DO NOTHING
            """
        }
        var dropped: [NotificationID] = []
        for (device, count) in waiting where count.all > PushJob.mostOfDevice {
            dropped += try dropOldest(count.all - PushJob.mostOfDevice, of: device)
        }
        return dropped
    }

    private func dropOldest(_ count: Int, of device: DeviceAddress) throws(StoreError) -> [NotificationID] {
        var ids: [NotificationID] = []
        // Each by an index of its own: in a long outage this is done for every notification.
        for condition in [
            "is_bypassed = 1", "is_bypassed = 0 AND due_at IS NULL AND message IS NOT NULL",
            "is_bypassed = 0 AND due_at IS NULL AND message IS NULL",
        ] where ids.count < count {
            ids += try database.list(
                """
                SELECT id FROM jobs WHERE "user" = ? AND device = ? AND \(condition) AND is_under_way = 0
                ORDER BY \(line), id LIMIT ?
                """, [device.user.text, device.device.text, count - ids.count]
            ) { try $0.uuid(0) }
        }
        try remove(ids)
        return ids
    }

    private func remove(_ ids: [NotificationID]) throws(StoreError) {
        try database.run(ids.map { [.id($0)] }, row: "?") { "DELETE FROM jobs WHERE id IN (\($0))" }
    }

    /// Marks jobs as under way.
    package func begin(_ ids: [NotificationID]) throws(StoreError) {
        if let lease { return try begin(ids, under: lease) }
        try database.run(ids.map { [.id($0)] }, row: "?") { ids in
            "UPDATE jobs SET due_at = NULL, is_under_way = 1, attempts = attempts + 1 WHERE id IN (\(ids))"
        }
    }

    /// Makes a job due again.
    ///
    /// - Parameters:
    ///   - due: by the steady time.
    ///   - attempts: how many count so far.
    ///   - isUncertain: whether the last one may have reached the device.
    package func retry(
        _ id: NotificationID, at due: Timestamp, attempts: Int, isUncertain: Bool
    ) throws(StoreError) {
        try database.run(
            "UPDATE jobs SET due_at = ?, is_under_way = 0, attempts = ?, repeats = repeats + ? WHERE id = ?",
            [due.milliseconds, attempts, isUncertain ? 1 : 0, id.blob])
    }

    /// Removes a job that is over; the next one of its device is due.
    ///
    /// - Parameter now: the steady time.
    package func finish(_ id: NotificationID, now: Timestamp) throws(StoreError) {
        let row = try database.row(#"DELETE FROM jobs WHERE id = ? RETURNING "user", device"#, [id.blob])
        if let row { try makeFirstDue(of: row.text(0), row.text(1), now: now) }
    }

    /// The other jobs of the device wait for this one no more: the next of them is due.
    ///
    /// - Parameter now: the steady time.
    package func bypass(_ job: PushJob, now: Timestamp) throws(StoreError) {
        try database.run("UPDATE jobs SET is_bypassed = 1 WHERE id = ?", [job.id.blob])
        try makeFirstDue(of: job.device.user.text, job.device.device.text, now: now)
    }

    /// Makes the first job in a device's line due, unless a job of that line is due or under way.
    private func makeFirstDue(of user: String, _ device: String, now: Timestamp) throws(StoreError) {
        try database.run(
            """
            UPDATE jobs SET due_at = ? WHERE is_under_way = 0 AND due_at IS NULL AND id = (
                SELECT id FROM jobs WHERE "user" = ? AND device = ? AND is_bypassed = 0
                ORDER BY \(line), id LIMIT 1)
            AND NOT EXISTS (
                SELECT 1 FROM jobs WHERE "user" = ? AND device = ? AND is_bypassed = 0
                    AND (due_at IS NOT NULL OR is_under_way = 1))
            """, [now.milliseconds, user, device, user, device])
    }

    /// Removes earlier bypassed jobs that say no more than this one, which is accepted: messages of the same
    /// conversation, or clearances of as much. One that is under way gets no further attempt.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: the ids of those that were removed.
    package func removeBypassed(by job: PushJob, now: Timestamp) throws(StoreError) -> [NotificationID] {
        guard let conversation = job.conversation else { return [] }
        let earlier = try database.list(
            """
            SELECT id, is_under_way FROM jobs WHERE "user" = ? AND device = ? AND is_bypassed = 1
                AND (seq, position) < (?, ?) AND conversation = ? AND type = ?
                AND (type <> 'clear' OR message IS NULL AND seq <= ?)
            """,
            [
                job.device.user.text, job.device.device.text, job.seq, job.position.value, conversation.value,
                job.type.rawValue, job.seq ?? 0,
            ]
        ) { row in (id: try row.uuid(0) as NotificationID, isUnderWay: row.isTrue(1)) }
        let removed = earlier.filter { !$0.isUnderWay }.map(\.id)
        try remove(removed)
        for (id, _) in earlier.filter(\.isUnderWay) {
            try database.run("UPDATE jobs SET deadline = ? WHERE id = ?", [now.milliseconds, id.blob])
        }
        return removed
    }

    /// Makes the jobs due again that a process was sending which is gone: they may have reached their devices.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: how many there are.
    package func resume(now: Timestamp) throws(StoreError) -> Int {
        let isLost = lease == nil ? "is_under_way = 1" : "is_under_way = 1 AND \(PushLease.isLost("jobs"))"
        try database.run(
            "UPDATE traces SET repeats = repeats + 1 WHERE id IN (SELECT id FROM jobs WHERE \(isLost))")
        return try database.change(
            "UPDATE jobs SET due_at = ?, is_under_way = 0, repeats = repeats + 1 WHERE \(isLost)",
            [now.milliseconds])
    }

    /// Makes the jobs due again that are under way without an outcome when the sender has ended: they were not sent.
    ///
    /// - Parameter now: the steady time.
    package func release(now: Timestamp) throws(StoreError) {
        let (isOwn, own) = isOwn
        try database.run(
            """
            UPDATE traces SET attempts = attempts - 1, sent_at = CASE WHEN attempts > 1 THEN sent_at END
            WHERE attempts > 0 AND id IN (SELECT id FROM jobs WHERE \(isOwn))
            """, own)
        try database.run(
            """
            UPDATE jobs SET due_at = ?, is_under_way = 0,
                attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END
            WHERE \(isOwn)
            """, [now.milliseconds] + own)
    }

    // MARK: Leases

    /// That this process is sending a job.
    private var isOwn: (condition: String, arguments: Arguments) {
        lease.map { ("is_under_way = 1 AND lease = ?", [$0.number]) } ?? ("is_under_way = 1", [])
    }

    /// Removes the jobs of a device whose registration has ended, and says so in their traces.
    ///
    /// - Parameters:
    ///   - registration: the number of the device's next registration, whose jobs stay.
    ///   - now: the time of day.
    ///   - steady: the steady time.
    package func removeAll(
        of address: DeviceAddress, besides registration: Int64?, at now: Timestamp, steady: Timestamp
    ) throws(StoreError) {
        let (user, device) = (address.user.text, address.device.text)
        // Numbers are positive.
        let registration = registration ?? -1
        try database.run(
            """
            UPDATE traces SET answered_at = ?, answer = 'the device is not registered any more' WHERE id IN (
                SELECT id FROM jobs WHERE "user" = ? AND device = ? AND registration <> ?)
            """, [now.milliseconds, user, device, registration])
        try database.run(
            #"DELETE FROM jobs WHERE "user" = ? AND device = ? AND registration <> ?"#, [user, device, registration])
        try makeFirstDue(of: user, device, now: steady)
    }

    /// Directs the waiting jobs of a device to its new registration.
    package func redirect(to registration: PushRegistration) throws(StoreError) {
        try database.run(
            """
            UPDATE jobs SET registration = ?, provider = ? WHERE "user" = ? AND device = ? AND is_under_way = 0
            """,
            [
                registration.number, registration.target.provider.rawValue, registration.device.user.text,
                registration.device.device.text,
            ])
    }
}
