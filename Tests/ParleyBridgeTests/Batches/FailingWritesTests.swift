import ParleyProtocol
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Whatever write of whatever command fails: nothing of the request is left, the device is told so, nothing in memory has
/// moved, and the rest of the batch is carried out.
struct FailingWritesTests {
    @Test func `every command has an example here`() throws {
        let commands = OperationTable.entries.compactMap { entry -> String? in
            if case .command(let type) = entry { "\(type.operation)" } else { nil }
        }
        // Typing writes nothing.
        let silent = ["\(StartTyping.operation)", "\(StopTyping.operation)"]
        #expect(Set(try CommandExample.all().map(\.name)) == Set(commands).subtracting(silent))
    }

    @Test("a command of which a write fails leaves nothing behind", arguments: try CommandExample.all())
    func alone(_ example: CommandExample) throws {
        let changes = try changes(of: example)
        #expect(changes > 0, "it writes nothing")
        for failing in 1...max(1, changes) {
            let world = try example.world()
            let failures = try FailingWrites(in: world.test.store)
            let before = try world.everything()
            failures.plan([failing])
            let refused = try world.result(of: example.command(), now: at(10))
            #expect(refused.code == "internal", "change \(failing) of \(changes)")
            #expect(refused.events.isEmpty && refused.audience.isEmpty)
            try expectSame(before, try world.everything())
            // Nothing in memory says otherwise: it is as if it came for the first time.
            failures.plan([])
            // A while later: nobody is told of anybody's keys at once when telling has just failed.
            let done = try world.result(of: example.command(), now: at(5000))
            #expect(done.code == nil)
            let fresh = try example.world()
            let expected = try fresh.result(of: example.command(), now: at(5000))
            #expect(done.events == expected.events && done.audience.count == expected.audience.count)
            try expectSame(try fresh.everything(), try world.everything())
        }
    }

    @Test("what is in the same batch is carried out", arguments: try CommandExample.all())
    func amongOthers(_ example: CommandExample) throws {
        let own = CommandExample.bystanders
        let texts = (try send(own, from: device("erin", "phone")), try send(own, from: device("erin", "phone")))
        /// How many rows are changed by these, of which the first change fails, so that each is done alone.
        func changes(_ commands: [IncomingCommand]) throws -> Int {
            let world = try world(of: example)
            let failures = try FailingWrites(in: world.test.store)
            failures.plan(commands.count > 1 ? [1] : [])
            #expect(try world.test.carryOut(commands).effects.outgoing.replies.allSatisfy { $0.isOK == true })
            return failures.changes
        }
        let before = try changes([texts.0])
        let both = try changes([texts.0, try example.command()])
        for failing in (before + 2)...both {
            let world = try world(of: example)
            let failures = try FailingWrites(in: world.test.store)
            failures.plan([1, failing])
            let messages = world.test.counters.messages.current
            let outcome = world.test.carryOut([texts.0, try example.command(), texts.1])
            let replies = try outcome.effects.outgoing.replies
            #expect(replies.map(\.code) == [nil, "internal", nil], "change \(failing) of \(both)")
            #expect(world.test.counters.messages.current == messages + 2)
            #expect(try world.test.text("SELECT count(*) FROM records WHERE sender = 'erin'") == "2")
            #expect(try world.test.text("SELECT max(seq) FROM records WHERE sender = 'erin'") == "2")
        }
    }

    /// The example's world, and a group that it has nothing to do with.
    private func world(of example: CommandExample) throws -> SocialWorld {
        let world = try example.world()
        _ = try world.test.conversation(["carol", "erin"], id: CommandExample.bystanders)
        return world
    }

    /// How many rows a command changes.
    private func changes(of example: CommandExample) throws -> Int {
        let world = try example.world()
        let failures = try FailingWrites(in: world.test.store)
        failures.plan([])
        let result = try world.result(of: example.command(), now: at(10))
        #expect(result.code == nil, "the example of \(example.name) is refused")
        return failures.changes
    }

    private func expectSame(_ one: [String: String], _ other: [String: String]) throws {
        for (table, rows) in one { #expect(other[table] == rows, "\(table)") }
    }
}
