import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What a message and a departure make the gateway keep is counted for who has caused it.
@Suite("What notifications and departures cost")
struct CausedStorageTests {
    private func number(_ world: PushWorld, _ query: String) throws -> Int {
        try #require(Int(world.test.text(query) ?? "0"))
    }

    private func stored(_ world: PushWorld, by user: UserID) throws -> Int {
        try number(world, "SELECT sum(bytes) FROM stored_bytes WHERE \"user\" = '\(user)'")
    }

    @Test("a message counts for each member who is away, and nothing for who is connected")
    func membersAway() throws {
        // The number in the database is a thousandth of it ahead at most.
        let world = try PushWorld { $0.storedBytesPerDay = 1_000_000 }
        func cost(of body: () throws -> Void) throws -> Int {
            let before = try stored(world, by: "alice")
            try body()
            return try stored(world, by: "alice") - before
        }
        let away = try cost { for _ in 0..<100 { try world.write() } }
        world.people.replace(with: ["alice", "bob"], unknownSince: at(0))
        let connected = try cost { for _ in 0..<100 { try world.write() } }
        #expect(abs(away - connected - 100 * StorageCost.notification) <= 2000)
    }

    @Test("a departure counts for who leaves, as long as the reply is that is kept for a repeat")
    func departure() throws {
        let world = try PushWorld { $0.storedBytesPerDay = 10_000 }
        let group = #"{"type":"group","name":"walkers","participant_ids":["bob","carol"]}"#
        let made = try world.social.ask(CreateConversation.self, by: "alice", group).reply
        let id = try #require(made.data["id"] as? String)
        try world.social.ask(LeaveConversation.self, by: "bob", #"{"conversation_id":"\#(id)"}"#)
        let reply = try number(world, "SELECT length(farewell) FROM departures WHERE \"user\" = 'bob'")
        let system = try number(world, "SELECT length(system) FROM records WHERE type = 7 AND sender = 'bob'")
        #expect(reply > 100)
        // It runs ahead by less than nine.
        #expect((0..<9).contains(try stored(world, by: "bob") - (StorageCost.row + system + reply)))
    }
}
