import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What of the retained `info` is published again though nothing of the conversations has changed, and when.
@Suite("Info of groups for each run of the broker")
struct PublishInfoAgainTests {
    private let test: TestWriter

    init() throws { test = try TestWriter() }

    /// The broker reports, in this run of it.
    private func report(_ broker: UInt64, to writer: Writer? = nil) {
        (writer ?? test.writer).duties[InfoDuty.self]?.handle(PresenceReport.set(of: ["alice"], broker: broker))
    }

    /// The conversations whose `info` is published at this time, in order.
    private func published(_ writer: Writer? = nil, at time: Timestamp) throws -> [String] {
        try (writer ?? test.writer).run(InfoDuty.self, now: time).outgoing.published.map { event in
            #expect(event.event == "conversation.updated" && event.isRetained && event.position != nil)
            let id = try #require(event.data["id"] as? String)
            #expect(event.topic == "parley/v1/conversations/\(id)/info")
            return id
        }
    }

    /// All that is published from this time on, as the intake would have it, until nothing is due for a minute.
    private func everything(_ writer: Writer? = nil, from start: Timestamp) throws -> (ids: [String], end: Timestamp) {
        let writer = writer ?? test.writer
        var (ids, now): ([String], Timestamp) = ([], start)
        while let wait = writer.wait(for: InfoDuty.self, now: now), wait < .seconds(60) {
            now = now.advanced(by: wait)
            let some = try published(writer, at: now)
            #expect(some.count <= InfoDuty.atOnce)
            ids += some
        }
        return (ids, now)
    }

    private func groups(_ count: Int) throws -> [String] {
        try (0..<count).map { _ in try test.conversation(["alice", "bob"]).description }
    }

    @Test("each run of the broker is given info of all groups, once")
    func eachRunIsGivenInfoOnce() throws {
        let groups = try groups(3)
        #expect(try published(at: at(0)).isEmpty && test.writer.wait(for: InfoDuty.self, now: at(0)) == nil)
        report(1)
        #expect(test.writer.wait(for: InfoDuty.self, now: at(0)) == .zero)
        #expect(try published(at: at(0)) == groups)
        #expect(try test.text("SELECT count(*) FROM outbox WHERE retain = 1") == "3")
        report(1)
        #expect(try published(at: at(10_000)).isEmpty && test.writer.wait(for: InfoDuty.self, now: at(10_000)) == nil)
        report(2)
        #expect(try published(at: at(20_000)) == groups)
    }

    @Test("the next process gives the same broker nothing")
    func nextProcessGivesNothing() throws {
        let groups = try groups(2)
        report(1)
        #expect(try published(at: at(0)) == groups)
        let next = try test.anotherWriter()
        report(1, to: next)
        #expect(try published(next, at: at(1000)).isEmpty && next.wait(for: InfoDuty.self, now: at(1000)) == nil)
        report(2, to: next)
        #expect(try published(next, at: at(2000)) == groups)
    }

    @Test("a group in which nobody is has no info, and that of direct conversations is left as it is")
    func emptyAndDirectAreLeftOut() throws {
        let left = try groups(2)
        _ = test.carryOut([try request(CreateConversation.self, #"{"type":"direct","participant_ids":["bob"]}"#)])
        #expect(try test.text("SELECT count(*) FROM conversations WHERE type = 'direct'") == "1")
        for member in ["alice", "bob"] as [UserID] {
            let request = try request(
                LeaveConversation.self, #"{"conversation_id":"\#(left[0])"}"#, from: device(member, "phone"))
            #expect(test.writer.carryOut([request], now: at(0)).isCommitted)
        }
        #expect(try test.text("SELECT count(*) FROM members") == "4")
        report(1)
        #expect(try published(at: at(0)) == [left[1]])
    }

    @Test("what is published again is the group as it stands, as all see it")
    func groupAsItStands() throws {
        let id = ConversationID.random()
        _ = test.carryOut([
            try request(
                CreateConversation.self, #"{"id":"\#(id)","type":"group","name":"Run","participant_ids":["bob"]}"#),
            try request(ProfileChange.self, #"{"display_name":"Alicia"}"#),
        ])
        let renamed = test.carryOut(
            [try request(UpdateConversation.self, #"{"conversation_id":"\#(id)","name":"Morning run"}"#)], now: at(5))
        report(1)
        let again = try #require(try test.writer.run(InfoDuty.self, now: at(10)).outgoing.published.first)
        let told = try #require(try renamed.effects.outgoing.events.first { $0.isRetained })
        #expect(again.payload == told.payload)
        #expect(String(decoding: again.payload, as: UTF8.self).contains("Alicia"))
    }

    @Test("thousands are published in bounded steps, a thousand in a second, each once")
    func boundedSteps() throws {
        let groups = try groups(1500)
        report(1)
        let before = test.counters.batches.current
        let (ids, end) = try everything(from: at(0))
        #expect(ids == groups)
        #expect(test.counters.batches.current - before == 6)
        #expect(end.milliseconds - at(0).milliseconds >= 1000)
    }

    @Test("a process that ends in between leaves all to the next, and a broker that ends begins again")
    func nextProcessTakesOver() throws {
        let groups = try groups(600)
        report(1)
        #expect(try published(at: at(0)) == Array(groups.prefix(InfoDuty.atOnce)))
        let next = try test.anotherWriter()
        report(1, to: next)
        #expect(try published(next, at: at(0)) == Array(groups.prefix(InfoDuty.atOnce)))
        report(2, to: next)
        #expect(try everything(next, from: at(1000)).ids == groups)
        #expect(try test.store.read { try $0.outbox.broker(of: .info) } == 2)
    }

    @Test("what a failed transaction was to publish is published later")
    func failedTransactionIsRepeated() throws {
        let groups = try groups(300)
        report(1)
        _ = try published(at: at(0))
        try test.execute("CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no'); END")
        #expect(try published(at: at(300)).isEmpty)
        #expect(test.counters.failedBatches.current == 1)
        #expect(test.writer.wait(for: InfoDuty.self, now: at(300)) == .seconds(1))
        try test.execute("DROP TRIGGER full")
        #expect(try published(at: at(1299)).isEmpty)
        #expect(try published(at: at(1300)) == Array(groups.dropFirst(InfoDuty.atOnce)))
    }
}
