import ParleyProtocol
import ParleyRules

package struct ChallengeWrites {
    let database: Database

    /// - Parameters:
    ///   - digest: of the request, 16 bytes.
    ///   - due: when it next needs work, by the steady time.
    package func insert(
        _ challenge: ChallengeState, in conversation: ConversationKey, digest: [UInt8], dueAt due: Timestamp?,
        steady: Timestamp
    ) throws(StoreError) {
        let terms = challenge.terms
        try database.run(
            """
            INSERT INTO challenges (id, digest, conversation, type, target, duration_days, status, created_at, deadline,
                due_at, published_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                terms.id.blob, digest, conversation.value, terms.type.rawValue, terms.target, terms.durationDays,
                challenge.status.rawValue, terms.createdAt.milliseconds, challenge.deadline?.milliseconds,
                due?.milliseconds, steady.milliseconds,
            ])
        for (user, isChallenger) in [(terms.challenger, true), (terms.challenged, false)] {
            try database.run(
                """
                INSERT INTO challenge_sides (challenge, "user", is_challenger, is_open)
                SELECT key, ?, ?, ? FROM challenges WHERE id = ?
                """, [user.text, isChallenger ? 1 : 0, challenge.isOpen ? 1 : 0, terms.id.blob])
        }
    }

    /// - Parameters:
    ///   - due: when it next needs work, by the steady time; `nil` for a finished one.
    ///   - published: by the steady time.
    package func update(
        _ challenge: StoredChallenge, dueAt due: Timestamp?, publishedAt published: Timestamp
    ) throws(StoreError) {
        let (key, state) = (challenge.key.value, challenge.state)
        let (outcome, winner) = state.columns
        try database.run(
            """
            UPDATE challenges SET status = ?, accepted_at = ?, ends_at = ?, outcome = ?, winner = ?, deadline = ?,
                due_at = ?, published_at = ? WHERE key = ?
            """,
            [
                state.status.rawValue, state.course?.acceptedAt.milliseconds, state.course?.endsAt.milliseconds,
                outcome?.rawValue, winner?.text, state.deadline?.milliseconds, due?.milliseconds,
                published.milliseconds, key,
            ])
        let sides = [
            (1, state.course?.firstDays.challenger, state.progress.challenger),
            (0, state.course?.firstDays.challenged, state.progress.challenged),
        ]
        for (isChallenger, firstDay, progress) in sides {
            try database.run(
                """
                UPDATE challenge_sides SET is_open = ?, first_day = ?, progress = ?
                WHERE challenge = ? AND is_challenger = ?
                """, [state.isOpen ? 1 : 0, firstDay?.daysSinceEpoch, progress, key, isChallenger])
        }
    }

    /// - Parameter due: by the steady time.
    package func postpone(_ key: ChallengeKey, to due: Timestamp?) throws(StoreError) {
        try database.run("UPDATE challenges SET due_at = ? WHERE key = ?", [due?.milliseconds, key.value])
    }

    /// Removes challenges that ended by a steady time, which is that of their last publication; the oldest first.
    ///
    /// - Returns: how many.
    package func remove(overBy time: Timestamp, limit: Int) throws(StoreError) -> Int {
        let arguments: Arguments = [time.milliseconds, limit]
        try database.run("DELETE FROM challenge_sides WHERE challenge IN (\(ChallengeWrites.over))", arguments)
        return try database.change("DELETE FROM challenges WHERE key IN (\(ChallengeWrites.over))", arguments)
    }

    static let over =
        "SELECT key FROM challenges WHERE due_at IS NULL AND published_at <= ? ORDER BY published_at, key LIMIT ?"

    /// Makes a user's active challenges due after a change of their workouts or metrics: now, or a pause after their
    /// last publication.
    ///
    /// - Parameters:
    ///   - isOfWorkouts: workouts and not metrics.
    ///   - pause: between two publications of a challenge.
    /// - Returns: whether there are such challenges.
    package func markProgress(
        of user: UserID, isOfWorkouts: Bool, at steady: Timestamp, pause: Duration
    ) throws(StoreError) -> Bool {
        let pause = pause.inMilliseconds
        return try database.change(
            """
            UPDATE challenges SET due_at = CASE
                WHEN due_at <= ?1 THEN due_at
                WHEN published_at + ?2 <= ?1 THEN ?1
                WHEN due_at <= published_at + ?2 THEN due_at
                ELSE published_at + ?2 END
            WHERE status = 'active' AND type IN (?3, ?4)
                AND key IN (SELECT challenge FROM challenge_sides WHERE "user" = ?5 AND is_open = 1)
            """,
            [
                steady.milliseconds, pause, (isOfWorkouts ? ChallengeType.workoutCount : .steps).rawValue,
                (isOfWorkouts ? ChallengeType.streak : .calories).rawValue, user.text,
            ]) > 0
    }
}

extension ChallengeState {
    /// The steady time at which its phase ends or has ended.
    fileprivate var deadline: Timestamp? {
        switch phase {
        case .pending(let end): end
        case .active(let course), .completed(let course, _): course.deadline
        case .declined, .cancelled, .expired: nil
        }
    }

    fileprivate var columns: (ChallengeOutcome?, UserID?) {
        switch result {
        case .won(let winner): (.won, winner)
        case .tied: (.tied, nil)
        case .void: (.void, nil)
        case nil: (nil, nil)
        }
    }
}
