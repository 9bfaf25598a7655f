import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// Every action in every phase, by everybody; and what time brings.
@Suite("What becomes of a challenge")
struct ChallengeStateTests {
    private static let day = CivilDay(daysSinceEpoch: 20_000)
    private static let hour: Int64 = 3_600_000

    private static let terms = ChallengeState.Terms(
        id: .random(), conversation: .random(), challenger: "alice", challenged: "bob", type: .steps, target: 1000,
        durationDays: 7, createdAt: at(0))

    /// Accepted at 0, over after ten hours by both times.
    private static let course = ChallengeState.Course(
        acceptedAt: at(0), endsAt: at(10 * hour), deadline: at(10 * hour),
        firstDays: ChallengeState.Pair(challenger: day, challenged: day))

    private static func score(_ challenger: Int, _ challenged: Int) -> ChallengeState.Pair<Int> {
        ChallengeState.Pair(challenger: challenger, challenged: challenged)
    }

    private static let phases: [ChallengeStatus: ChallengeState.Phase] = [
        .pending: .pending(until: at(48 * hour)), .active: .active(course), .completed: .completed(course, .tied),
        .declined: .declined, .cancelled: .cancelled, .expired: .expired,
    ]

    private static func challenge(_ status: ChallengeStatus) throws -> ChallengeState {
        ChallengeState(terms, phase: try #require(phases[status]))
    }

    enum Deed: String, CaseIterable {
        case accept, decline, cancel

        var act: ChallengeState.Act {
            switch self {
            case .accept: .accept(ChallengeStateTests.course)
            case .decline: .decline
            case .cancel: .cancel
            }
        }

        var author: UserID { self == .cancel ? "alice" : "bob" }
    }

    /// What comes of a deed by whoever may do it: a status, that it was done before, or a refusal.
    private static func expected(_ deed: Deed, in status: ChallengeStatus) -> String {
        switch (status, deed) {
        case (.pending, .accept): "active"
        case (.pending, .decline): "declined"
        case (.pending, .cancel): "cancelled"
        case (.active, .accept), (.completed, .accept), (.declined, .decline), (.cancelled, .cancel): "done"
        default: "conflict"
        }
    }

    private static func outcome(
        _ deed: Deed, by user: UserID, in status: ChallengeStatus, steady: Timestamp = at(hour),
        objection: Rejection? = nil
    ) throws -> String {
        var challenge = try challenge(status)
        let before = challenge
        do throws(Rejection) {
            let hasNews = try challenge.perform(deed.act, by: user, steady: steady, objection: objection)
            #expect(hasNews == (challenge != before))
            return hasNews ? challenge.status.rawValue : "done"
        } catch {
            #expect(challenge == before)
            return error.code.rawValue
        }
    }

    @Test(
        "every action in every phase comes to what the table says", arguments: ChallengeStatus.allCases, Deed.allCases)
    func table(status: ChallengeStatus, deed: Deed) throws {
        #expect(try Self.outcome(deed, by: deed.author, in: status) == Self.expected(deed, in: status))
        for other in ["alice", "bob", "carol"] as [UserID] where other != deed.author {
            #expect(try Self.outcome(deed, by: other, in: status) == "forbidden")
        }
    }

    @Test(
        "after 48 hours nothing more can be done to a challenge, whether or not it was looked at",
        arguments: Deed.allCases)
    func overdue(deed: Deed) throws {
        let end = at(48 * Self.hour)
        #expect(
            try Self.outcome(deed, by: deed.author, in: .pending, steady: end.advanced(byMilliseconds: -1))
                != "conflict")
        #expect(try Self.outcome(deed, by: deed.author, in: .pending, steady: end) == "conflict")
        var challenge = ChallengeState(Self.terms, steady: at(5))
        #expect(challenge.phase == .pending(until: at(48 * Self.hour + 5)))
        #expect(!advance(&challenge, now: at(0), steady: at(48 * Self.hour + 4), .apart))
        #expect(advance(&challenge, now: at(0), steady: at(48 * Self.hour + 5), .apart))
        #expect(challenge.phase == .expired)
    }

    @Test("an objection keeps from accepting, and is of no concern to what is done or declined")
    func objections() throws {
        let objection = Rejection.requestLimit
        #expect(try Self.outcome(.accept, by: "bob", in: .pending, objection: objection) == "request_limit")
        #expect(try Self.outcome(.accept, by: "bob", in: .active, objection: objection) == "done")
        #expect(try Self.outcome(.accept, by: "bob", in: .declined, objection: objection) == "conflict")
        #expect(try Self.outcome(.accept, by: "alice", in: .pending, objection: objection) == "forbidden")
        #expect(try Self.outcome(.decline, by: "bob", in: .pending, objection: objection) == "declined")
        #expect(try Self.outcome(.cancel, by: "alice", in: .pending, objection: objection) == "cancelled")
    }

    // MARK: Time

    private func advance(
        _ challenge: inout ChallengeState, now: Timestamp, steady: Timestamp, _ standing: ChallengeState.Standing
    ) -> Bool {
        challenge.advance(now: now, steady: steady, standing: standing)
    }

    /// What is known of an active challenge at a time, given in hours.
    private static func advanced(
        now: Int64, steady: Int64, _ standing: ChallengeState.Standing
    ) throws -> ChallengeState {
        var challenge = try challenge(.active)
        _ = challenge.advance(now: at(now * hour), steady: at(steady * hour), standing: standing)
        return challenge
    }

    @Test(
        "who has more at the end has won, as many are tied, and nothing is void",
        arguments: [
            (score(1, 0), .won(by: "alice")), (score(0, 1), .won(by: "bob")), (score(7, 7), .tied),
            (score(0, 0), .void), (score(5, 2000), .won(by: "bob")),
        ] as [(ChallengeState.Pair<Int>, ChallengeState.Result)])
    func results(score: ChallengeState.Pair<Int>, result: ChallengeState.Result) throws {
        let challenge = try Self.advanced(now: 10, steady: 10, .together(score))
        #expect(challenge.result == result && challenge.progress == score && challenge.status == .completed)
        let object = challenge.object
        #expect(object.progress == ["alice": score.challenger, "bob": score.challenged])
        switch result {
        case .won(let winner): #expect(object.winner == winner && object.outcome == .known(.won))
        case .tied: #expect(object.winner == nil && object.outcome == .known(.tied))
        case .void: #expect(object.winner == nil && object.outcome == .known(.void))
        }
    }

    @Test("between two who are apart it stands still, and is void at the end")
    func apart() throws {
        var challenge = try Self.advanced(now: 1, steady: 1, .together(Self.score(5, 3)))
        #expect(challenge.progress == Self.score(5, 3))
        #expect(!advance(&challenge, now: at(2 * Self.hour), steady: at(2 * Self.hour), .apart))
        #expect(challenge.progress == Self.score(5, 3) && challenge.status == .active)
        #expect(advance(&challenge, now: at(10 * Self.hour), steady: at(10 * Self.hour), .apart))
        #expect(challenge.result == .void && challenge.progress == Self.score(5, 3))
    }

    @Test(
        "it ends when both times have come to its end, and the time of day holds it up for two days at most",
        arguments: [
            (9, 9, false), (10, 10, true), (100, 9, false), (1_000_000, 9, false), (9, 10, false), (-5, 57, false),
            (-5, 58, true), (10, 12, true), (12, 10, true),
        ] as [(Int64, Int64, Bool)])
    func clocks(now: Int64, steady: Int64, isOver: Bool) throws {
        let challenge = try Self.advanced(now: now, steady: steady, .together(Self.score(1, 0)))
        #expect((challenge.status == .completed) == isOver)
        let next = challenge.nextLook(now: at(now * Self.hour), steady: at(steady * Self.hour))
        guard !isOver else {
            #expect(next == nil)
            return
        }
        let due = try #require(next)
        #expect(due > at(steady * Self.hour))
        // Whoever looks then, with a clock that runs on, comes to the end within two days of it.
        #expect(due <= at((steady < 10 ? 10 : 58) * Self.hour))
    }

    @Test("what is over stays as it is")
    func overStays() throws {
        for status in [ChallengeStatus.completed, .declined, .cancelled, .expired] {
            var challenge = try Self.challenge(status)
            let far = at(1_000_000 * Self.hour)
            #expect(!advance(&challenge, now: far, steady: far, .together(Self.score(9, 9))))
            #expect(challenge == (try Self.challenge(status)) && challenge.nextLook(now: far, steady: far) == nil)
            #expect(!challenge.isOpen)
        }
    }
}
