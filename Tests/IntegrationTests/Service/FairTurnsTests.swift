import ParleyProtocol
import Testing

/// One user with hundreds of requests beside one with few. Each test has a gateway of its own.
@Suite("Fair turns")
struct FairTurnsTests {
    /// Asks as `other`, and reads for both until there is a reply.
    ///
    /// - Returns: how many replies the busy one had by then.
    private func replies(to busy: DeviceClient, when other: DeviceClient, _ operation: String, _ fields: JSON) throws
        -> Int
    {
        let asked = try other.ask(operation, fields.bytes)
        _ = try eventually("a reply to \(other.user)") { () -> DeviceClient.Message? in
            try busy.receive(timeout: .milliseconds(1))
            try other.receive(timeout: .milliseconds(1))
            return other.inbox.first { $0.correlation == asked }
        }
        #expect(try other.reply(to: asked)["ok"] == true)
        return busy.inbox.count
    }

    @Test("a user with hundreds of long pages waiting waits; another is answered at once, reads and writes")
    func reads() throws {
        let gateway = try TestGateway()
        let people = try gateway.people(2)
        let (alice, bob) = (try gateway.connect(people[0]), try gateway.connect(people[1]))
        for _ in 0..<40 {
            try alice.accepted(
                "conversations/create",
                ["type": "group", "name": "a group", "participant_ids": [.string(bob.user)]])
        }
        let asked = try (0..<200).map { _ in try alice.ask("conversations/list", (["limit": 200] as JSON).bytes) }
        _ = try alice.reply(to: asked[0])
        #expect(try replies(to: alice, when: bob, "profile/get", [:]) < 100)
        #expect(try replies(to: alice, when: bob, "conversations/list", ["limit": 1]) < 100)
        #expect(try replies(to: alice, when: bob, "profile/set", ["display_name": "Bob"]) < 100)
        // Nothing of what was asked is forgotten.
        for correlation in asked.dropFirst() { #expect(try alice.reply(to: correlation)["ok"] == true) }
    }
}
