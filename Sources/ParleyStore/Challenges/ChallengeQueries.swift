import ParleyProtocol
import ParleyRules

package struct StoredChallenge: Sendable {
    package let key: ChallengeKey
    package var state: ChallengeState
    /// When it next needs work, by the steady time; `nil` for a finished one.
    package private(set) var dueAt: Timestamp? = nil
    /// By the steady time.
    package private(set) var publishedAt = Timestamp(milliseconds: 0)

    /// Whether its progress may have changed since it was last written: it is due before its deadline, or the deadline
    /// is so near that this cannot be seen.
    ///
    /// - Parameters:
    ///   - now: the time of day.
    ///   - pause: between two publications of a challenge.
    package func mayBeBehind(now: Timestamp, pause: Duration) -> Bool {
        guard case .active(let course) = state.phase else { return false }
        return dueAt != course.deadline || course.deadline <= publishedAt.advanced(by: pause) || now >= course.endsAt
    }
}

package struct ChallengeQueries {
    let database: Database

    /// The digest of the request that created the challenge, of any user.
    package func digest(of id: ChallengeID) throws(StoreError) -> [UInt8]? {
        try database.row("SELECT digest FROM challenges WHERE id = ?", [id.blob])?.bytes(0)
    }

    package func challenge(_ id: ChallengeID) throws(StoreError) -> StoredChallenge? {
        try database.first("\(ChallengeColumn.query()) WHERE c.id = ?", [id.blob], StoredChallenge.init)
    }

    /// How many challenges of a user are active, or wait for an answer from somebody else, in conversations of theirs.
    package func openCount(of user: UserID) throws(StoreError) -> Int {
        try database.row(
            """
            SELECT count(*) FROM challenge_sides s JOIN challenges c ON c.key = s.challenge
            WHERE s."user" = ? AND s.is_open = 1 AND (c.status = 'active' OR s.is_challenger = 1)
                AND EXISTS (
                    SELECT 1 FROM members m WHERE m.conversation = c.conversation AND m."user" = s."user")
            """, [user.text])?[0] ?? 0
    }

    /// When the next one needs work, by the steady time.
    package func next() throws(StoreError) -> Timestamp? {
        try database.row("SELECT due_at FROM challenges WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1")?.time(0)
    }

    /// The ones that need work, the longest due first.
    package func due(at steady: Timestamp, limit: Int) throws(StoreError) -> [StoredChallenge] {
        try database.list(
            """
            \(ChallengeColumn.query(
                of: "(SELECT * FROM challenges WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY due_at LIMIT ?)"))
            ORDER BY c.due_at
            """, [steady.milliseconds, limit], StoredChallenge.init)
    }

    /// A user's challenges before `key` in conversations that they see, the newest first, until `body` returns `false`.
    package func read(
        of user: UserID, before key: ChallengeKey?, limit: Int, _ body: (StoredChallenge) throws -> Bool
    ) throws {
        try database.read(
            """
            \(ChallengeColumn.query()) JOIN challenge_sides s ON s.challenge = c.key
            WHERE s."user" = ? AND s.challenge < ? AND EXISTS (
                SELECT 1 FROM members WHERE conversation = c.conversation AND "user" = s."user" AND is_open = 1)
            ORDER BY s.challenge DESC LIMIT ?
            """, [user.text, key?.value ?? .max, limit]
        ) { try body(StoredChallenge($0)) }
    }

    /// A conversation's challenges before `key`, the newest first, until `body` returns `false`.
    package func read(
        in conversation: ConversationKey, before key: ChallengeKey?, limit: Int,
        _ body: (StoredChallenge) throws -> Bool
    ) throws {
        try database.read(
            "\(ChallengeColumn.query()) WHERE c.conversation = ? AND c.key < ? ORDER BY c.key DESC LIMIT ?",
            [conversation.value, key?.value ?? .max, limit]
        ) { try body(StoredChallenge($0)) }
    }
}

private enum ChallengeColumn {
    /// - Parameter challenges: the table, or a part of it.
    static func query(of challenges: String = "challenges") -> String {
        """
        SELECT c.key, c.id, v.id, c.type, c.target, c.duration_days, c.status, c.created_at, c.accepted_at, c.ends_at,
            c.outcome, c.winner, c.deadline, a."user", a.first_day, a.progress, b."user", b.first_day, b.progress,
            c.due_at, c.published_at
        FROM \(challenges) c JOIN conversations v ON v.key = c.conversation
        JOIN challenge_sides a ON a.challenge = c.key AND a.is_challenger = 1
        JOIN challenge_sides b ON b.challenge = c.key AND b.is_challenger = 0
        """
    }
}

extension StoredChallenge {
    fileprivate init(_ row: some ColumnReader) throws(StoreError) {
        let terms = ChallengeState.Terms(
            id: try row.uuid(1), conversation: try row.uuid(2), challenger: try row.level(13),
            challenged: try row.level(16), type: try row.choice(3), target: row.integer(4),
            durationDays: row.integer(5), createdAt: row.time(7))
        let status: ChallengeStatus = try row.choice(6)
        let phase: ChallengeState.Phase =
            switch status {
            case .pending: .pending(until: row.time(12))
            case .active: .active(StoredChallenge.course(row))
            case .completed: .completed(StoredChallenge.course(row), try StoredChallenge.result(row))
            case .declined: .declined
            case .cancelled: .cancelled
            case .expired: .expired
            }
        key = row.key(0)
        state = ChallengeState(
            terms, phase: phase,
            progress: ChallengeState.Pair(challenger: row.integer(15), challenged: row.integer(18)))
        dueAt = row.optionalTime(19)
        publishedAt = row.time(20)
    }

    private static func course(_ row: some ColumnReader) -> ChallengeState.Course {
        ChallengeState.Course(
            acceptedAt: row.time(8), endsAt: row.time(9), deadline: row.time(12),
            firstDays: ChallengeState.Pair(
                challenger: row.day(14), challenged: row.day(17)))
    }

    private static func result(_ row: some ColumnReader) throws(StoreError) -> ChallengeState.Result {
        let outcome: ChallengeOutcome = try row.choice(10)
        return switch outcome {
        case .won: .won(by: try row.level(11))
        case .tied: .tied
        case .void: .void
        }
    }
}
