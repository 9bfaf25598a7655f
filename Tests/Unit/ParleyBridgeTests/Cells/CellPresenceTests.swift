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

    @Test("for messages of who has left is looked again when other cells know of it")
    func lookedAgain() throws {
        presence.handle([.offline("alice", ago: 0)], now: at(30_000))
        #expect(people.drainDepartures(limit: 10) == [ConnectedPeople.Departure(user: "alice", at: at(30_000))])
        #expect(try published(at: 30_000).isEmpty)
        #expect(!people.hasDepartures)
        // They are taken for connected until the hold is over.
        #expect(cells.connections[1] == ["alice"])
        #expect(try published(at: 40_000) == ["alice offline"])
        #expect(cells.connections[1] == [])
        #expect(people.drainDepartures(limit: 10) == [ConnectedPeople.Departure(user: "alice", at: at(30_000))])
    }
}
