import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Whatever write of whatever command fails: nothing of the request is left, the device is told so, nothing in memory
/// has moved, and the rest of the batch is carried out.
@Suite("Commands that fail while they write")
struct FailingWritesTests {
    @Test("every command has an example here")
    func everyCommandIsHere() throws {
        let commands = OperationTable.entries.compactMap { entry -> String? in
            if case .command(let type) = entry { "\(type.operation)" } else { nil }
        }
        // Typing writes nothing.
        let silent = ["\(StartTyping.operation)", "\(StopTyping.operation)"]
        #expect(Set(try CommandExample.all().map(\.name)) == Set(commands).subtracting(silent))
    }

    @Test("a command of which a write fails leaves nothing behind", arguments: try CommandExample.all())
    func alone(_ example: CommandExample) throws {
        let failing = try changes(of: example)
        let world = try example.world()
        let failures = try FailingWrites(in: world.test.store)
        let before = try world.everything()
        for (number, change) in failing.enumerated() {
            try failures.plan([change])
            // Far apart, for nobody is told of anybody's keys at once when telling has just failed.
            let refused = try world.result(of: example.command(), now: at(Pace.pauseAfterFailure * (number + 1)))
            #expect(refused.code == "internal", "change \(change)")
            #expect(refused.events.isEmpty && refused.audience.isEmpty)
            try expectSame(before, try world.everything())
        }
        // Nothing in memory says otherwise: it is as if it came for the first time, a while later.
        try failures.plan([])
        let later = at(Pace.pauseAfterFailure * (failing.count + 1))
        let done = try world.result(of: example.command(), now: later)
        #expect(done.code == nil)
        let fresh = try example.world()
        let expected = try fresh.result(of: example.command(), now: later)
        #expect(done.events == expected.events && done.audience.count == expected.audience.count)
        try expectSame(try fresh.everything(), try world.everything())
    }

    @Test("what is in the same batch is carried out", arguments: try CommandExample.all())
    func amongOthers(_ example: CommandExample) throws {
        let own = CommandExample.bystanders
        let texts = (try send(own, from: device("erin", "phone")), try send(own, from: device("erin", "phone")))
        let batch = [texts.0, try example.command(), texts.1]
        // The first change of the batch fails, so that each is done alone.
        let rehearsal = try world(of: example)
        let counted = try FailingWrites(in: rehearsal.test.store)
        try counted.plan([0])
        #expect(try rehearsal.test.carryOut(batch).effects.outgoing.replies.allSatisfy { $0.isOK == true })
        let all = try counted.begun()
        var hits = 0
        for failing in TestForm.cases(all, shortEach: 4) where try isHit(batch, of: example, by: failing) { hits += 1 }
        if hits == 0 { hits = try all.count { try isHit(batch, of: example, by: $0) } }
        #expect(hits > 0, "it writes nothing")
    }

    /// The first change of the batch fails and, when its requests are carried out one by one, a later one: whether that
    /// was one of the example's, between two messages that are carried out.
    private func isHit(_ batch: [IncomingCommand], of example: CommandExample, by failing: Int) throws -> Bool {
        let world = try world(of: example)
        let failures = try FailingWrites(in: world.test.store)
        try failures.plan([0, failing])
        let messages = world.test.counters.messages.current
        let codes = try world.test.carryOut(batch).effects.outgoing.replies.map(\.code)
        #expect(codes.count == 3 && codes.count { $0 != nil } == 1, "change \(failing): \(codes)")
        guard codes[1] == "internal" else { return false }
        #expect(world.test.counters.messages.current == messages + 2)
        #expect(try world.test.text("SELECT count(*) FROM records WHERE sender = 'erin'") == "2")
        #expect(try world.test.text("SELECT max(seq) FROM records WHERE sender = 'erin'") == "2")
        return true
    }

    /// The example's world, and a group that it has nothing to do with.
    private func world(of example: CommandExample) throws -> SocialWorld {
        let world = try example.world()
        _ = try world.test.conversation(["carol", "erin"], id: CommandExample.bystanders)
        return world
    }

    /// The numbers of the changes of rows that a command makes.
    private func changes(of example: CommandExample) throws -> [Int] {
        let world = try example.world()
        let failures = try FailingWrites(in: world.test.store)
        try failures.plan([])
        let result = try world.result(of: example.command(), now: at(10))
        #expect(result.code == nil, "the example of \(example.name) is refused")
        let begun = try failures.begun()
        #expect(!begun.isEmpty, "it writes nothing")
        return begun
    }

    private func expectSame(_ one: [String: String], _ other: [String: String]) throws {
        for (table, rows) in one { #expect(other[table] == rows, "\(table)") }
    }
}
