import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Presence of a cell among others, which also know who is connected to it.
@Suite("Presence of one cell among others")
struct CellPresenceTests {
    private let cells = ListedCells()
    private let test: TestWriter
    private let people = ConnectedPeople()
    private let presence: PresenceDuty

    init() throws {
        test = try TestWriter(cells: cells)
        presence = try PresenceDuty(test.store, Settings(), people: people, now: at(0))
        presence.handle(PresenceReport.set(of: ["alice"], broker: 1), now: at(0))
        #expect(try Set(published(at: 0)) == ["alice online"])
        // What the broker has is as it is to be.
        #expect(try published(at: 100).isEmpty)
        #expect(cells.connections[1] == ["alice"])
    }

    /// What is published from a time on until nothing is due for half a minute, as `user state`.
    private func published(at time: Int64) throws -> [String] {
        var (told, now): ([String], Timestamp) = ([], at(time))
        while true {
            told += try test.writer.run(due: presence, now: now).outgoing.events.map { event in
                "\(event.data["user_id"] ?? "") \(event.data["state"] ?? "")"
            }
            let wait = presence.wait(at: test.writer.moment(now)) ?? .seconds(60)
            guard wait < .seconds(1) else { return told }
            now = now.advanced(by: max(wait, .milliseconds(1)))
        }
    }

    /// Another cell has taken out the users of this one, which was silent.
    private func takeOut() throws {
        cells.connections[1] = []
        try test.execute("UPDATE presence SET state = 'offline', last_seen = \(at(5_000).milliseconds)")
    }

    @Test("whom others have shown as offline while it was away is online again, and stored as connected")
    func returned() throws {
        try takeOut()
        #expect(try published(at: 20_000).isEmpty)
        presence.recordReturn(now: at(20_000))
        #expect(try published(at: 20_000).last == "alice online")
        #expect(cells.connections[1] == ["alice"])
        #expect(try test.text("SELECT state FROM presence WHERE user = 'alice'") == "online")
    }

    @Test("the report of everybody repairs it as well")
    func reported() throws {
        try takeOut()
        presence.handle(PresenceReport.set(of: ["alice"], broker: 1), now: at(600_000))
        #expect(try published(at: 600_000) == ["alice online"])
        #expect(cells.connections[1] == ["alice"])
    }

    @Test("after it was away all presence is published to its own broker, and to no other")
    func sweep() throws {
        presence.recordReturn(now: at(20_000))
        let outgoing = test.writer.run(due: presence, now: at(20_000)).outgoing
        #expect(try outgoing.events.map(\.topic) == ["parley/v1/users/alice/presence"])
        #expect(try outgoing.events.allSatisfy { $0.isRetained && $0.position == nil })
        #expect(try published(at: 21_000).isEmpty)
    }

    @Test("while the database is away it is tried again after pauses, also if the transaction had not begun")
    func failure() throws {
        presence.handle([.offline("alice", ago: 0)], now: at(30_000))
        presence.observe(test.writer.moment(at(40_000)))
        #expect(presence.wait(at: test.writer.moment(at(40_000))) == .zero)
        presence.recordFailure(at: test.writer.moment(at(40_000)))
        #expect(presence.wait(at: test.writer.moment(at(40_000))) == .seconds(1))
        #expect(try published(at: 41_000) == ["alice offline"])
    }

    @Test("for messages of who has left is looked again when other cells know of it")
    func lookedAgain() throws {
        presence.handle([.offline("alice", ago: 0)], now: at(30_000))
        #expect(people.drainDepartures(limit: 10) == [ConnectedPeople.Departure(user: "alice", at: at(30_000))])
        #expect(try published(at: 30_000).isEmpty)
        #expect(!people.hasDepartures())
        // They are taken for connected until the hold is over.
        #expect(cells.connections[1] == ["alice"])
        #expect(try published(at: 40_000) == ["alice offline"])
        #expect(cells.connections[1] == [])
        #expect(people.drainDepartures(limit: 10) == [ConnectedPeople.Departure(user: "alice", at: at(30_000))])
    }
}
