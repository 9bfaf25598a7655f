import ParleyProtocol

/// A challenge and its phase: `perform` applies acts of the two users, `advance` the passing of time. No phase is
/// entered twice.
package struct ChallengeState: Hashable, Sendable {
    /// The request, which never changes.
    package struct Terms: Hashable, Sendable {
        package let id: ChallengeID
        package let conversation: ConversationID
        package let challenger: UserID
        package let challenged: UserID
        package let type: ChallengeType
        package let target: Int
        package let durationDays: Int
        package let createdAt: Timestamp

        package init(
            id: ChallengeID, conversation: ConversationID, challenger: UserID, challenged: UserID,
            type: ChallengeType, target: Int, durationDays: Int, createdAt: Timestamp
        ) {
            self.id = id
            self.conversation = conversation
            self.challenger = challenger
            self.challenged = challenged
            self.type = type
            self.target = target
            self.durationDays = durationDays
            self.createdAt = createdAt
        }
    }

    /// The days that count of an accepted challenge.
    package struct Course: Hashable, Sendable {
        package let acceptedAt: Timestamp
        /// When the last day of both is over.
        package let endsAt: Timestamp
        /// The same, by the steady time.
        package let deadline: Timestamp
        /// The day of the acceptance in the time zone of each.
        package let firstDays: Pair<CivilDay>

        package init(acceptedAt: Timestamp, endsAt: Timestamp, deadline: Timestamp, firstDays: Pair<CivilDay>) {
            (self.acceptedAt, self.endsAt, self.deadline, self.firstDays) = (acceptedAt, endsAt, deadline, firstDays)
        }
    }

    package enum Phase: Hashable, Sendable {
        /// Waits for an answer until then, by the steady time. Becomes active, declined, cancelled or expired.
        case pending(until: Timestamp)
        /// Counts progress until it is completed.
        case active(Course)
        case completed(Course, Result)
        case declined, cancelled, expired
    }

    package enum Result: Hashable, Sendable {
        case won(by: UserID)
        case tied
        /// Neither has any progress, or the two were apart at the end.
        case void
    }

    /// A value for each of the two users.
    package struct Pair<Value: Hashable & Sendable>: Hashable, Sendable {
        package var challenger: Value
        package var challenged: Value

        package init(challenger: Value, challenged: Value) {
            (self.challenger, self.challenged) = (challenger, challenged)
        }
    }

    package let terms: Terms
    package private(set) var phase: Phase
    /// As last published.
    package private(set) var progress: Pair<Int>

    /// How long an answer is waited for.
    package static let patience = Duration.seconds(48 * 3600)
    /// How long a finished one is kept.
    package static let keeping = Duration.days(90)

    package init(_ terms: Terms, phase: Phase, progress: Pair<Int> = Pair(challenger: 0, challenged: 0)) {
        (self.terms, self.phase, self.progress) = (terms, phase, progress)
    }

    package init(_ terms: Terms, steady: Timestamp) {
        self.init(terms, phase: .pending(until: steady.advanced(by: ChallengeState.patience)))
    }

    package var status: ChallengeStatus {
        switch phase {
        case .pending: .pending
        case .active: .active
        case .completed: .completed
        case .declined: .declined
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }

    /// Whether its phase may still change.
    package var isOpen: Bool {
        switch phase {
        case .pending, .active: true
        case .completed, .declined, .cancelled, .expired: false
        }
    }

    /// The days that count, once it was accepted.
    package var course: Course? {
        switch phase {
        case .active(let course), .completed(let course, _): course
        case .pending, .declined, .cancelled, .expired: nil
        }
    }

    package var result: Result? {
        switch phase {
        case .completed(_, let result): result
        case .pending, .active, .declined, .cancelled, .expired: nil
        }
    }
}

// MARK: Acts

extension ChallengeState {
    package enum Act: Hashable, Sendable {
        case accept(Course)
        case decline
        case cancel
    }

    /// - Parameter objection: why the challenged may not accept now.
    /// - Returns: whether it has changed: a repeated act changes nothing.
    /// - Throws: `forbidden` to the wrong user; `conflict` in the wrong phase; the objection.
    package mutating func perform(
        _ act: Act, by user: UserID, steady: Timestamp, objection: Rejection? = nil
    ) throws(Rejection) -> Bool {
        guard user == author(of: act) else { throw .notTheirChallenge }
        switch (phase, act) {
        case (.pending(let end), _) where steady >= end: throw .challengeIsOver(.expired)
        case (.pending, .accept(let course)):
            if let objection { throw objection }
            phase = .active(course)
        case (.pending, .decline): phase = .declined
        case (.pending, .cancel): phase = .cancelled
        case (.active, .accept), (.completed, .accept), (.declined, .decline), (.cancelled, .cancel): return false
        case (.active, .decline), (.active, .cancel), (.completed, .decline), (.completed, .cancel),
            (.declined, .accept), (.declined, .cancel), (.cancelled, .accept), (.cancelled, .decline),
            (.expired, .accept), (.expired, .decline), (.expired, .cancel):
            throw .challengeIsOver(status)
        }
        return true
    }

    private func author(of act: Act) -> UserID {
        switch act {
        case .accept, .decline: terms.challenged
        case .cancel: terms.challenger
        }
    }
}

// MARK: Time

extension ChallengeState {
    /// How the two users stand to each other now.
    package enum Standing: Hashable, Sendable {
        /// They may challenge each other, and have this progress.
        case together(Pair<Int>)
        /// They may not, or one of them has left: their progress no longer counts.
        case apart
    }

    /// How long past the steady deadline the time of day is waited for: a clock that is wrong by more holds up no end.
    static let longestWait = Duration.days(2)

    /// - Parameters:
    ///   - now: the time of day. A challenge ends when both clocks have reached its end, so that a clock that runs
    ///     ahead ends nothing early.
    /// - Returns: whether it has changed.
    package mutating func advance(now: Timestamp, steady: Timestamp, standing: Standing) -> Bool {
        let before = self
        switch phase {
        case .pending(let end): if steady >= end { phase = .expired }
        case .active(let course):
            updateProgress(standing)
            if course.isOver(now: now, steady: steady) { phase = .completed(course, result(standing)) }
        case .completed, .declined, .cancelled, .expired: break
        }
        return self != before
    }

    /// Updates the progress of an active challenge, and not its phase.
    package mutating func updateProgress(_ standing: Standing) {
        guard case .active = phase, case .together(let progress) = standing else { return }
        self.progress = progress
    }

    /// When `advance` is next needed without an act, by the steady time; `nil` for a finished one.
    package func nextLook(now: Timestamp, steady: Timestamp) -> Timestamp? {
        switch phase {
        case .pending(let end): end
        case .active(let course):
            if steady < course.deadline {
                course.deadline
            } else {
                max(
                    steady.advanced(by: .seconds(1)),
                    min(
                        steady.advanced(by: now.duration(to: course.endsAt)),
                        course.deadline.advanced(by: ChallengeState.longestWait)))
            }
        case .completed, .declined, .cancelled, .expired: nil
        }
    }

    private func result(_ standing: Standing) -> Result {
        switch standing {
        case .apart: .void
        case .together(let progress):
            if progress.challenger == progress.challenged {
                progress.challenger > 0 ? .tied : .void
            } else {
                .won(by: progress.challenger > progress.challenged ? terms.challenger : terms.challenged)
            }
        }
    }
}

extension ChallengeState.Course {
    fileprivate func isOver(now: Timestamp, steady: Timestamp) -> Bool {
        guard steady >= deadline else { return false }
        return now >= endsAt || steady >= deadline.advanced(by: ChallengeState.longestWait)
    }
}

extension Rejection {
    fileprivate static let notTheirChallenge = Rejection(
        .forbidden, "The challenged alone accept or decline, and the challenger alone cancels.")

    fileprivate static func challengeIsOver(_ status: ChallengeStatus) -> Rejection {
        Rejection(.conflict, "The challenge is \(status.rawValue).")
    }
}
