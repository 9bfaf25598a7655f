import parley_model
import Oracles
import TestSupport
import Testing

/// Every state that two people can bring about; gone through once for all tests.
private enum EveryState {
    private static let result = Result {
        var states = MergedStates(people: 2)
        try states.run()
        return states
    }

    static var states: MergedStates { get throws { try result.get() } }

    /// A history that leads to each.
    static var histories: [[Event]] {
        get throws {
            let states = try states
            return states.states.indices.map(states.events)
        }
    }
}

/// The engine agrees with the oracle. `scripts/model.sh` goes further than there is time for here.
@Suite("The permission engine beside the oracle")
struct PermissionModelTests {
    @Test("agrees after every history of two people up to three events")
    func everyHistory() throws {
        let tally = try OrderedHistories(depth: 3).run()
        #expect(tally.events == 22 + 22 * 22 + 22 * 22 * 22)
    }

    @Test("agrees in every state that two people can bring about, whatever happens next")
    func everyState() throws {
        let states = try EveryState.states
        #expect(states.states.count > 1000)
        #expect(states.tally.unseen.isEmpty)
    }

    @Test("agrees for three people, whose contacts do not touch each other")
    func threePeople() throws {
        var states = MergedStates(people: 3)
        try states.run(depth: 3)
        #expect(states.tally.unseen.isEmpty)
    }

    @Test("agrees after thousands of random histories", .seeded)
    func randomHistories() throws {
        let tally = try RandomHistories(seed: Seeded.seed).run(0..<TestForm.count(short: 2_000, whole: 10_000))
        #expect(tally.unseen.isEmpty)
    }

    @Test(
        "shows who was blocked the world in which the other only unfollowed and declined, and who was declined silence")
    func secrecy() throws {
        var secrecy = Secrecy(depth: 1)
        try secrecy.check(EveryState.histories)
        #expect(secrecy.blocked > 500)
        #expect(secrecy.declined > 10)
    }
}

@Suite("A fault in the permission engine is found")
struct MutantTests {
    @Test("by random histories, as a short story", .seeded, arguments: Mutant.all)
    func random(_ mutant: Mutant) throws {
        let found = #expect(throws: DisagreementError.self) {
            try RandomHistories(seed: Seeded.seed, engine: mutant.engine).run(0..<10_000)
        }
        let story = try #require(found)
        #expect(story.events.count <= 12, "\(story)")
    }

    private static let talkative = [
        "who was blocked is told so", "who was blocked cannot follow", "declining gives back the one message",
        "whom anyone may write to cannot block", "a block does not stop those who follow each other",
        "a block does not stop who was accepted", "who was blocked is told that the one message is spent",
        "a block takes back nothing", "a block is not the end of a friendship",
        "a block leaves the request that the blocker has sent", "a block ends the other's following, too",
        "an unblocking restores no following", "an unblocking restores no acceptance",
    ]

    @Test("by what it reveals", arguments: Mutant.all.filter { talkative.contains($0.description) })
    func secrecy(_ mutant: Mutant) throws {
        let histories = try EveryState.histories
        #expect(throws: Secrecy.RevealedError.self) {
            var secrecy = Secrecy(engine: mutant.engine, depth: 1)
            try secrecy.check(histories)
        }
    }
}
