import ParleyProtocol

/// The trace of a notification: what was decided and answered, without content, for operators.
package struct PushTrace: Hashable, Sendable {
    /// Of the notification.
    package let id: NotificationID
    package let message: MessageID?
    package let user: UserID
    /// `nil` for the decision about the user, and for the notification on the topic.
    package let device: DeviceID?
    package let provider: PushProvider?
    package let type: PushType
    /// `notify`, `hold`, or the reason why not.
    package let decision: String
    package let decidedAt: Timestamp
    package var sentAt: Timestamp?
    package var attempts = 0
    /// How many attempts may have reached the device although their answer was lost.
    package var repeats = 0
    package var answeredAt: Timestamp?
    package var answer: String?

    package init(
        id: NotificationID, message: MessageID? = nil, user: UserID, device: DeviceID? = nil,
        provider: PushProvider? = nil, type: PushType, decision: String, decidedAt: Timestamp
    ) {
        self.id = id
        self.message = message
        self.user = user
        self.device = device
        self.provider = provider
        self.type = type
        self.decision = decision
        self.decidedAt = decidedAt
    }
}

/// Traces.
package struct PushTraceQueries {
    let database: Database

    private static let columns = """
        id, message, "user", device, provider, type, decision, decided_at, sent_at, attempts, repeats, answered_at, answer
        """

    package func trace(of id: NotificationID) throws(StoreError) -> PushTrace? {
        try database.first("SELECT \(PushTraceQueries.columns) FROM traces WHERE id = ?", [id.blob]) {
            try PushTrace($0)
        }
    }

    /// The traces of a message by users, or of one user.
    package func traces(
        of message: MessageID, user: UserID? = nil, limit: Int
    ) throws(StoreError) -> [PushTrace] {
        try database.list(
            """
            SELECT \(PushTraceQueries.columns) FROM traces
            WHERE message = ? AND "user" >= ? AND "user" <= ? ORDER BY "user", decided_at, id LIMIT ?
            """, [message.blob, user?.text ?? "", user?.text ?? "~", limit]
        ) { try PushTrace($0) }
    }
}

extension PushTrace {
    fileprivate init(_ row: Row) throws(StoreError) {
        guard let type = PushType(rawValue: row.text(5)) else { throw .inconsistent(.column(5)) }
        self.init(
            id: try row.uuid(0), message: try row.optionalUUID(1), user: try row.level(2),
            device: row.isNull(3) ? nil : try row.level(3), provider: (row[4] as String?).flatMap(PushProvider.init),
            type: type, decision: row[6], decidedAt: row.time(7))
        sentAt = row.optionalTime(8)
        attempts = row[9]
        repeats = row[10]
        answeredAt = row.optionalTime(11)
        answer = row[12]
    }
}

/// Writes traces.
package struct PushTraceWrites {
    let database: Database

    /// - Parameter removal: when they are removed, by the steady time.
    package func insert(_ traces: [PushTrace], removal: Timestamp) throws(StoreError) {
        let rows = traces.map { trace -> [BoundValue] in
            [
                .id(trace.id), .blob(trace.message?.value.bytes), .text(trace.user.text),
                .optionalText(trace.device?.text), .optionalText(trace.provider?.rawValue), .text(trace.type.rawValue),
                .text(trace.decision), .time(trace.decidedAt), .time(removal),
            ]
        }
        try database.run(rows, row: "(?, ?, ?, ?, ?, ?, ?, ?, ?)") { rows in
            """
            INSERT INTO traces (id, message, "user", device, provider, type, decision, decided_at, disappears_at)
            VALUES \(rows) ON CONFLICT (id) DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at
            """
        }
    }

    /// Notes an attempt that begins.
    package func begin(_ ids: [NotificationID], at now: Timestamp) throws(StoreError) {
        try database.run(ids.map { [.time(now), .id($0)] }, row: "(CAST(? AS BIGINT), CAST(? AS BLOB))") { rows in
            """
            UPDATE traces SET sent_at = v.column1, attempts = attempts + 1
            FROM (VALUES \(rows)) AS v WHERE traces.id = v.column2
            """
        }
    }

    /// Takes an attempt back that was not made.
    package func takeBack(_ id: NotificationID) throws(StoreError) {
        try database.run(
            """
            UPDATE traces SET attempts = attempts - 1, sent_at = CASE WHEN attempts > 1 THEN sent_at END
            WHERE id = ? AND attempts > 0
            """, [id.blob])
    }

    /// - Parameter answer: of the push service, or why the notification was not sent.
    package func answer(
        _ id: NotificationID, _ answer: String, isUncertain: Bool, at now: Timestamp
    ) throws(StoreError) {
        try database.run(
            "UPDATE traces SET answered_at = ?, answer = ?, repeats = repeats + ? WHERE id = ?",
            [now.milliseconds, answer, isUncertain ? 1 : 0, id.blob])
    }

    /// Removes expired traces, the oldest first.
    ///
    /// - Parameter now: the steady time.
    /// - Returns: how many.
    package func removeExpired(at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try database.change(
            """
            DELETE FROM traces WHERE id IN (
                SELECT id FROM traces WHERE disappears_at <= ? ORDER BY disappears_at LIMIT ?)
            """, [now.milliseconds, limit])
    }
}
