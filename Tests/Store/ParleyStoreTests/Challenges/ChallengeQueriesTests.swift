import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored challenges", .onEveryStore)
struct ChallengeQueriesTests {
    private let database: any TestedDatabase
    private let store: Store
    private let conversation: ConversationState

    init() throws {
        database = try TestedEngine.makeDatabase()
        store = try database.open()
        conversation = try store.write { transaction in
            try transaction.insertPeople(["alice", "bob", "carol"])
            return try transaction.insertConversation(["alice", "bob", "carol"])
        }
    }

    private func challenge(by challenger: UserID = "alice", to challenged: UserID = "bob") -> ChallengeState {
        ChallengeState(
            ChallengeState.Terms(
                id: .random(), conversation: conversation.facts.id, challenger: challenger, challenged: challenged,
                type: .steps, target: 9, durationDays: 3, createdAt: at(1)), steady: at(0))
    }

    private func insert(_ challenge: ChallengeState, dueAt due: Timestamp = at(100)) throws {
        try store.write {
            try $0.challenges.insert(
                challenge, in: conversation.key, digest: challenge.terms.id.value.bytes, dueAt: due, steady: at(0))
        }
    }

    private static let course = ChallengeState.Course(
        acceptedAt: at(2), endsAt: at(50), deadline: at(40),
        firstDays: ChallengeState.Pair(
            challenger: CivilDay(daysSinceEpoch: 20_000), challenged: CivilDay(daysSinceEpoch: 20_001)))

    @Test("a challenge comes back in each of its phases as it was written")
    func comesBack() throws {
        let new = challenge()
        try insert(new)
        try store.write { transaction in
            #expect(try transaction.facts.challenges.digest(of: new.terms.id) == new.terms.id.value.bytes)
            #expect(try transaction.facts.challenges.digest(of: .random()) == nil)
            let stored = try #require(try transaction.facts.challenges.challenge(new.terms.id))
            #expect(stored.state == new)
            let phases: [ChallengeState.Phase] = [
                .active(Self.course), .completed(Self.course, .won(by: "bob")), .completed(Self.course, .tied),
                .completed(Self.course, .void), .declined, .cancelled, .expired,
            ]
            for phase in phases {
                let changed = StoredChallenge(
                    key: stored.key,
                    state: ChallengeState(
                        new.terms, phase: phase, progress: ChallengeState.Pair(challenger: 3, challenged: 4)))
                try transaction.challenges.update(
                    changed, dueAt: changed.state.isOpen ? at(7) : nil, publishedAt: at(6))
                #expect(try transaction.facts.challenges.challenge(new.terms.id)?.state == changed.state)
                #expect(try transaction.facts.challenges.next() == (changed.state.isOpen ? at(7) : nil))
            }
        }
    }

    @Test("what is due comes in the order of its time, and what is over is never due")
    func due() throws {
        let challenges = (0..<3).map { _ in challenge() }
        for (challenge, due) in zip(challenges, [at(30), at(10), at(20)]) { try insert(challenge, dueAt: due) }
        try store.write { transaction in
            let facts = transaction.facts
            #expect(try facts.challenges.next() == at(10))
            #expect(try facts.challenges.due(at: at(9), limit: 9).isEmpty)
            #expect(
                try facts.challenges.due(at: at(20), limit: 9).map(\.state.terms.id)
                    == [challenges[1].terms.id, challenges[2].terms.id])
            let first = try #require(try facts.challenges.due(at: at(99), limit: 1).first)
            try transaction.challenges.postpone(first.key, to: at(500))
            #expect(try facts.challenges.next() == at(20))
        }
    }

    @Test("of a user's open challenges those count that are counted, or wait for an answer to them")
    func openCount() throws {
        let (own, toOwn, active, over) = (challenge(), challenge(by: "bob", to: "alice"), challenge(), challenge())
        for challenge in [own, toOwn, active, over] { try insert(challenge) }
        try store.write { transaction in
            for (challenge, phase) in [(active, ChallengeState.Phase.active(Self.course)), (over, .declined)] {
                let stored = try #require(try transaction.facts.challenges.challenge(challenge.terms.id))
                try transaction.challenges.update(
                    StoredChallenge(key: stored.key, state: ChallengeState(challenge.terms, phase: phase)),
                    dueAt: phase == .declined ? nil : at(1), publishedAt: at(0))
            }
            let facts = transaction.facts
            #expect(try facts.challenges.openCount(of: "alice") == 2)
            #expect(try facts.challenges.openCount(of: "bob") == 2)
            #expect(try facts.challenges.openCount(of: "carol") == 0)
        }
    }

    @Test("lists give what a user takes part in, and what a conversation has, the newest first")
    func lists() throws {
        let challenges = [challenge(), challenge(by: "carol", to: "alice"), challenge(by: "bob", to: "carol")]
        for challenge in challenges { try insert(challenge) }
        let ids = challenges.map(\.terms.id)
        func listed(of user: UserID? = nil, before key: ChallengeKey? = nil, limit: Int = 9) throws -> [StoredChallenge]
        {
            try store.read { snapshot in
                var found: [StoredChallenge] = []
                func append(_ challenge: StoredChallenge) -> Bool {
                    found.append(challenge)
                    return true
                }
                if let user {
                    try snapshot.challenges.read(of: user, before: key, limit: limit, append)
                } else {
                    try snapshot.challenges.read(in: conversation.key, before: key, limit: limit, append)
                }
                return found
            }
        }
        #expect(try listed().map(\.state.terms.id) == ids.reversed())
        #expect(try listed(of: "alice").map(\.state.terms.id) == [ids[1], ids[0]])
        let first = try #require(try listed(limit: 1).last)
        #expect(try listed(before: first.key).map(\.state.terms.id) == [ids[1], ids[0]])
        try store.execute(#"DELETE FROM members WHERE "user" = 'alice'"#)
        #expect(try listed(of: "alice").isEmpty && listed(of: "bob").count == 2)
    }

    @Test("progress is due at once, or a second after it was last published, and never later than it was")
    func marks() throws {
        let challenge = challenge()
        try insert(challenge, dueAt: at(100_000))
        try store.write { transaction in
            let stored = try #require(try transaction.facts.challenges.challenge(challenge.terms.id))
            let active = StoredChallenge(
                key: stored.key, state: ChallengeState(challenge.terms, phase: .active(Self.course)))
            func due(after published: Int64, dueAt due: Int64, markedAt marked: Int64) throws -> Timestamp? {
                try transaction.challenges.update(active, dueAt: at(due), publishedAt: at(published))
                let isMarked = try transaction.challenges.markProgress(
                    of: "bob", isOfWorkouts: false, at: at(marked), pause: .seconds(1))
                #expect(isMarked)
                return try transaction.facts.challenges.next()
            }
            #expect(try due(after: 0, dueAt: 100_000, markedAt: 5000) == at(5000))
            #expect(try due(after: 4900, dueAt: 100_000, markedAt: 5000) == at(5900))
            #expect(try due(after: 4900, dueAt: 5500, markedAt: 5000) == at(5500))
            #expect(try due(after: 4900, dueAt: 4000, markedAt: 5000) == at(4000))
            for (user, isOfWorkouts) in [("bob", true), ("carol", false)] as [(UserID, Bool)] {
                let isMarked = try transaction.challenges.markProgress(
                    of: user, isOfWorkouts: isOfWorkouts, at: at(5000), pause: .seconds(1))
                #expect(!isMarked)
            }
            try transaction.challenges.update(stored, dueAt: at(9000), publishedAt: at(0))
            let isMarked = try transaction.challenges.markProgress(
                of: "bob", isOfWorkouts: false, at: at(5000), pause: .seconds(1))
            #expect(!isMarked)
        }
    }

    @Test("challenges that have been over for their time are removed, the oldest first, some at once")
    func removal() throws {
        let (open, active) = (challenge(), challenge())
        let over = (0..<4).map { _ in challenge() }
        for challenge in [open, active] + over { try insert(challenge) }
        func end(_ challenge: ChallengeState, _ phase: ChallengeState.Phase, at time: Timestamp) throws {
            try store.write { transaction in
                let stored = try #require(try transaction.facts.challenges.challenge(challenge.terms.id))
                let state = ChallengeState(challenge.terms, phase: phase)
                try transaction.challenges.update(
                    StoredChallenge(key: stored.key, state: state), dueAt: state.isOpen ? at(1) : nil, publishedAt: time
                )
            }
        }
        try end(active, .active(Self.course), at: at(1))
        let phases: [ChallengeState.Phase] = [.declined, .cancelled, .expired, .completed(Self.course, .tied)]
        for (index, phase) in phases.enumerated() { try end(over[index], phase, at: at(10 - Int64(index))) }
        func left() throws -> [ChallengeID] {
            try store.read { snapshot throws in
                try ([open, active] + over).map(\.terms.id).filter { try snapshot.challenges.digest(of: $0) != nil }
            }
        }
        #expect(try store.write { try $0.challenges.remove(overBy: at(6), limit: 9) } == 0)
        #expect(try store.write { try $0.challenges.remove(overBy: at(9), limit: 2) } == 2)
        #expect(try left() == [open, active, over[0], over[1]].map(\.terms.id))
        #expect(try store.write { try $0.challenges.remove(overBy: at(100), limit: 2) } == 2)
        #expect(try left() == [open, active].map(\.terms.id))
        #expect(try store.text("SELECT count(*) FROM challenge_sides") == "4")
        #expect(try store.write { try $0.challenges.remove(overBy: at(100), limit: 2) } == 0)
    }

    @Test("what is old is found by an index, however many challenges there are", .onSQLite(.plans))
    func removalUsesItsIndex() throws {
        try store.read { snapshot throws in
            #expect(
                try snapshot.plan(ChallengeWrites.over)
                    == "SEARCH challenges USING INDEX challenges_over (published_at<?)")
        }
    }
}
