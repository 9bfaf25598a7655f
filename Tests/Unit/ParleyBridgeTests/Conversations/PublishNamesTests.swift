import ParleyProtocol
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

/// When `info` says what somebody calls themselves now, and how often it is published for that.
@Suite("New display names in the info of groups")
struct PublishNamesTests {
    private let test: TestWriter

    init() throws { test = try TestWriter() }

    private func rename(_ user: UserID = "alice", to name: String, at time: Timestamp) throws {
        let request = try request(ProfileChange.self, #"{"display_name":"\#(name)"}"#, from: device(user, "phone"))
        let published = try test.carryOut([request], now: time).effects.outgoing.published
        #expect(published.map(\.isOK) == [true])
    }

    /// `id: names` of each `info` that is published at this time, in order.
    private func published(_ writer: Writer? = nil, at time: Timestamp) throws -> [String] {
        try (writer ?? test.writer).run(InfoDuty.self, now: time).outgoing.events.map { event in
            #expect(event.event == "conversation.updated" && event.isRetained && event.position != nil)
            let id = try #require(event.data["id"] as? String)
            #expect(event.topic == "parley/v1/conversations/\(id)/info")
            let members = event.data["members"] as? [[String: Any]] ?? []
            return "\(id): " + members.compactMap { $0["username"] as? String }.joined(separator: " ")
        }
    }

    private func groups(_ count: Int, of members: [UserID] = ["alice", "bob"]) throws -> [String] {
        try (0..<count).map { _ in try test.conversation(members).description }
    }

    @Test("a new name is published in the user's groups, once, and nowhere else")
    func newNameIsPublishedOnce() throws {
        let (own, _) = (try groups(2), try groups(1, of: ["bob", "carol"]))
        _ = test.carryOut([try request(CreateConversation.self, #"{"type":"direct","participant_ids":["bob"]}"#)])
        #expect(try published(at: at(0)).isEmpty)
        try rename(to: "Alicia", at: at(0))
        #expect(test.writer.wait(for: InfoDuty.self, now: at(0)) == InfoDuty.nameDelay)
        #expect(try published(at: at(InfoDuty.nameDelay - .milliseconds(1))).isEmpty)
        #expect(try published(at: at(InfoDuty.nameDelay)) == own.map { "\($0): Alicia bob" })
        #expect(test.writer.wait(for: InfoDuty.self, now: at(60_000)) == nil)
        #expect(try test.text("SELECT count(*) FROM name_changes") == "0")
    }

    @Test("what is no new name publishes nothing")
    func sameNameIsNoNews() throws {
        _ = try groups(1)
        #expect(try published(at: at(0)).isEmpty)
        try rename(to: "alice", at: at(0))
        _ = test.carryOut([try request(ProfileChange.self, #"{"time_zone":"Europe/Berlin"}"#)])
        #expect(test.writer.wait(for: InfoDuty.self, now: at(0)) == nil)
        #expect(try published(at: at(60_000)).isEmpty)
    }

    @Test("whoever changes their name all the time is published once in a few seconds, and at last as they are")
    func frequentChangesAreGathered() throws {
        let id = try #require(try groups(1).first)
        var all: [String] = []
        for step in 0..<100 {
            try rename(to: "Name\(step)", at: at(Int64(step) * 100))
            all += try published(at: at(Int64(step) * 100))
        }
        #expect(all == ["\(id): Name30 bob", "\(id): Name61 bob", "\(id): Name92 bob"])
        #expect(try published(at: at(60_000)) == ["\(id): Name99 bob"])
    }

    @Test("thousands are published in bounded steps, and a name that changes meanwhile is not lost")
    func thousandsInBoundedSteps() throws {
        let groups = try groups(1000)
        try rename(to: "First", at: at(0))
        var (now, all, last): (Duration, [String], [String: String]) = (.zero, [], [:])
        var isRenamed = false
        while let wait = test.writer.wait(for: InfoDuty.self, now: at(now)) {
            now += wait
            let some = try published(at: at(now))
            #expect(some.count <= InfoDuty.atOnce)
            all += some
            for line in some { last[String(line.prefix(36))] = String(line.dropFirst(38)) }
            if !isRenamed, all.count >= 500 {
                isRenamed = true
                try rename(to: "Second", at: at(now))
            }
        }
        #expect(all.count == 2000 && all.prefix(1000).map { String($0.prefix(36)) } == groups)
        #expect(all.prefix(512).allSatisfy { $0.hasSuffix("First bob") })
        #expect(last == Dictionary(uniqueKeysWithValues: groups.map { ($0, "Second bob") }))
        // No more than a thousand in a second.
        #expect(now >= .seconds(2))
    }

    @Test("whoever is in few groups waits for nobody who is in thousands")
    func fewWaitForNobody() throws {
        _ = try groups(1000)
        let id = try #require(try groups(1, of: ["carol", "bob"]).first)
        try rename(to: "Alicia", at: at(0))
        try rename("carol", to: "Caroline", at: at(1))
        _ = try published(at: at(InfoDuty.nameDelay))
        #expect(try published(at: at(InfoDuty.nameDelay + .milliseconds(300))).contains("\(id): bob Caroline"))
    }

    @Test("the next process goes on where one has ended")
    func nextProcessGoesOn() throws {
        let groups = try groups(600)
        try rename(to: "Alicia", at: at(0))
        let first = try published(at: at(InfoDuty.nameDelay))
        #expect(first == groups.prefix(InfoDuty.atOnce).map { "\($0): Alicia bob" })
        let next = try test.anotherWriter()
        var (now, rest): (Duration, [String]) = (InfoDuty.nameDelay, [])
        while let wait = next.wait(for: InfoDuty.self, now: at(now)) {
            now += wait
            rest += try published(next, at: at(now))
        }
        #expect(rest == groups.dropFirst(InfoDuty.atOnce).map { "\($0): Alicia bob" })
    }

    @Test("a name that a process leaves is published by the next")
    func leftNameIsPublished() throws {
        let id = try #require(try groups(1).first)
        try rename(to: "Alicia", at: at(0))
        let next = try test.anotherWriter()
        #expect(try published(next, at: at(0)).isEmpty)
        #expect(next.wait(for: InfoDuty.self, now: at(0)) == InfoDuty.nameDelay)
        #expect(try published(next, at: at(InfoDuty.nameDelay)) == ["\(id): Alicia bob"])
    }

    @Test("what a failed transaction was to publish is published later, and a change that failed is none")
    func failedTransactionIsRepeated() throws {
        let id = try #require(try groups(1).first)
        try rename(to: "Alicia", at: at(0))
        try test.execute("CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no'); END")
        #expect(try published(at: at(3000)).isEmpty)
        #expect(test.writer.wait(for: InfoDuty.self, now: at(3000)) == .seconds(1))
        try test.execute("DROP TRIGGER full")
        #expect(try published(at: at(3999)).isEmpty)
        #expect(try published(at: at(4000)) == ["\(id): Alicia bob"])

        try test.execute("CREATE TRIGGER full BEFORE UPDATE ON users BEGIN SELECT RAISE(ABORT, 'no'); END")
        let request = try request(ProfileChange.self, #"{"display_name":"Alice"}"#)
        #expect(!test.carryOut([request], now: at(10_000)).isCommitted)
        #expect(test.writer.wait(for: InfoDuty.self, now: at(10_000)) == nil)
    }
}
