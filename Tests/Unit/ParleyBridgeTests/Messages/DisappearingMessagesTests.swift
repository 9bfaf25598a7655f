import TestSupport
import Foundation
import MQTTClient
import ParleyProtocol
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

@Suite("Disappearing messages")
struct DisappearingMessagesTests {
    private let test: TestWriter
    private let conversation: ConversationID
    private let message = MessageID.random()

    init() throws {
        test = try TestWriter()
        conversation = try test.conversation(["alice", "bob"])
    }

    private func present() throws -> String? {
        try test.text("SELECT group_concat(seq) FROM records WHERE content IS NOT NULL")
    }

    /// A message of ten seconds with an edit and a reaction, and one that stays.
    private func fill() throws -> Outgoing {
        test.carryOut(
            [
                try send(conversation, id: message, expiresIn: 10), try change(.edit, message, in: conversation),
                // By its sender, so that nobody is notified of it.
                try change(.reaction, message, in: conversation),
                try send(conversation),
            ], now: at(0)
        ).effects.outgoing
    }

    @Test("a message disappears with its edits and reactions when its time has come, and not before")
    func disappearsInTime() throws {
        _ = try fill()
        #expect(test.writer.isDue(ExpiryDuty.self, now: at(0)))
        test.writer.run(ExpiryDuty.self, now: at(9_999))
        #expect(try present() == "1,2,3,4")
        test.writer.run(ExpiryDuty.self, now: at(10_000))
        #expect(try present() == "1,2,3,4", "so soon after the last time")
        test.writer.run(ExpiryDuty.self, now: at(.milliseconds(9_999) + ExpiryDuty.pause))
        #expect(try present() == "4")
        let outcome = test.carryOut(
            [
                try change(.edit, message, in: conversation), try change(.reaction, message, in: conversation),
                try change(.delete, message, in: conversation),
            ], now: at(11_000))
        #expect(try outcome.effects.outgoing.replies.map(\.code) == ["not_found", "not_found", nil])
    }

    // MARK: Clocks that are set

    private static let tenYears: Int64 = 3_652 * 86_400_000

    @Test("a clock that is set far ahead for a while neither hastens what is to disappear nor keeps it")
    func clockAheadChangesNothing() throws {
        let late = MessageID.random()
        test.carryOut([try send(conversation, id: message, expiresIn: 3600)], now: at(0))
        // The gateway's time has followed a step: it is ten years ahead of the steady one.
        test.writer.clockOffset = Self.tenYears
        let during = at(Self.tenYears + 60_000)
        let outcome = test.carryOut(
            [
                try send(conversation, id: late, expiresIn: 5), try change(.reaction, late, in: conversation),
                try change(.edit, message, in: conversation),
            ], now: during)
        #expect(try outcome.effects.outgoing.replies.allSatisfy { $0.isOK == true })
        #expect(
            try outcome.effects.outgoing.events.first?.data["expires_at"] as? String
                == during.advanced(byMilliseconds: 5_000).description)
        test.writer.run(ExpiryDuty.self, now: during)
        #expect(try present() == "1,2,3,4")
        // And back.
        test.writer.clockOffset = 0
        test.writer.run(ExpiryDuty.self, now: at(64_999))
        #expect(try present() == "1,2,3,4")
        test.writer.run(ExpiryDuty.self, now: at(.milliseconds(65_000) + ExpiryDuty.pause))
        #expect(try present() == "1,4")
        #expect(
            try test.carryOut([try change(.reaction, late, in: conversation)], now: at(70_000)).effects.outgoing.replies
                .map(\.code) == ["not_found"])
        test.writer.run(ExpiryDuty.self, now: at(3_600_000))
        #expect(try present() == nil)
        // To the broker it went for five seconds.
        let items = outcome.effects.outgoing.items.filter { $0.position != nil }
        #expect(items.map { $0.message(at: at(60_000)).expirySeconds } == [5, 5, 3540])
    }

    @Test("what is left to be published, or is reported, disappears by the steady time as well")
    func unpublishedDisappearsSteadily() throws {
        test.writer.clockOffset = Self.tenYears
        test.carryOut([try send(conversation, id: message, expiresIn: 10)], now: at(Self.tenYears))
        var outgoing = Outgoing()
        for event in try test.store.read({ try $0.outbox.unpublished(after: 0, limit: 9) }) { outgoing.add(event) }
        #expect(outgoing.items.map { $0.message(at: at(4_000)).expirySeconds } == [6])
        test.writer.clockOffset = 0
        for (now, isThere) in [(at(9_999), true), (at(10_000), false)] {
            let id = MessageID.random()
            let report = #"{"id":"\#(id)","reason":"spam","message_id":"\#(message)"}"#
            test.carryOut([try request(CreateReport.self, report, from: device("bob", "phone"))], now: now)
            let kept = try test.text("SELECT message FROM reports ORDER BY key DESC LIMIT 1")
            #expect(kept?.contains(#""encrypted_content":null"#) == !isThere)
        }
    }

    @Test("a message by a clock that was years ahead makes none of the later ones as late")
    func clockYearsAhead() throws {
        test.carryOut([try send(conversation)], now: at(Self.tenYears))
        let outcome = test.carryOut([try send(conversation, expiresIn: 5), try send(conversation)], now: at(1_000))
        let events = try outcome.effects.outgoing.events
        #expect(events.map { $0.data["created_at"] as? String } == [at(1_000).description, at(1_000).description])
        #expect(events[0].data["expires_at"] as? String == at(6_000).description)
        // Minutes are held, so that times do not run back for a step that is small.
        let held = test.carryOut([try send(conversation)], now: at(1_000 - 300_000))
        #expect(try held.effects.outgoing.events.first?.data["created_at"] as? String == at(1_000).description)
    }

    @Test("what was due while there was no gateway is removed by the next one, in bounded pieces")
    func dueWhileDown() throws {
        test.carryOut(try (0..<150).map { _ in try send(conversation, expiresIn: 5) }, now: at(0))
        let next = try test.anotherWriter()
        var rounds = 0
        while next.isDue(ExpiryDuty.self, now: at(6_000)) {
            next.run(ExpiryDuty.self, now: at(6_000))
            rounds += 1
        }
        #expect(rounds == 3)
        #expect(try present() == nil)
        #expect(try test.text("SELECT count(*) FROM records") == "150")
    }

    @Test("a full disk does not keep what is due for ever")
    func fullDiskKeepsNothing() throws {
        _ = try fill()
        let poison = """
            CREATE TRIGGER poison BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'no room'); END
            """
        try test.execute(poison)
        test.writer.run(ExpiryDuty.self, now: at(10_000))
        #expect(try present() == "1,2,3,4")
        try test.execute("DROP TRIGGER poison")
        test.writer.run(ExpiryDuty.self, now: at(10_001))
        #expect(try present() == "1,2,3,4", "it is not tried at every turn")
        test.writer.run(ExpiryDuty.self, now: at(.milliseconds(10_000) + ExpiryDuty.pause))
        #expect(try present() == "4")
    }

    @Test("ciphertext leaves the files with the next cleaning")
    func cleaningTakesFiles() throws {
        let text = "a text that nothing else in the file holds"
        func isInFiles() throws -> Bool {
            try ["parley.db", "parley.db-wal"].contains {
                Data(try test.directory.bytes($0)).range(of: Data(text.utf8)) != nil
            }
        }
        test.writer.cleanFiles(now: .now)
        test.carryOut([try send(conversation, id: message, text: text), try send(conversation)])
        #expect(try isInFiles())
        test.carryOut([try change(.delete, message, in: conversation)])
        // Soon after the last cleaning there is none; ten seconds later there is.
        test.writer.cleanFiles(now: .now)
        #expect(try isInFiles())
        test.writer.cleanFiles(now: .now + CleaningClock.pause)
        #expect(try !isInFiles())
    }

    // MARK: On the way to the broker

    @Test("what disappears is given to the broker for the time that is left, rounded up")
    func brokerGetsTheRest() throws {
        let outgoing = try fill()
        let items = outgoing.items.filter { $0.position != nil }
        for (now, seconds) in [(0, 10), (1, 10), (9_000, 1), (9_001, 1), (9_999, 1)] as [(Int64, UInt32)] {
            let messages = items.map { $0.message(at: at(now)) }
            #expect(messages.map(\.expirySeconds) == [seconds, seconds, seconds, nil])
            #expect(messages.map(\.payload) == items.map(\.message.payload))
        }
    }

    @Test("what has disappeared meanwhile goes out as history shows it, so that no seq is missing")
    func vanishedKeepsItsSeq() throws {
        var outgoing = try fill()
        // The same after it was added to another.
        var copy = Outgoing()
        copy.append(outgoing)
        copy.append(outgoing)
        outgoing = copy
        let items = outgoing.items.filter { $0.position != nil }
        for now in [10_000, 10_001, 1_000_000] as [Int64] {
            let messages = items.map { $0.message(at: at(now)) }
            #expect(messages.allSatisfy { $0.expirySeconds == nil })
            let events = try messages.map { message in
                try #require(
                    try JSONSerialization.jsonObject(with: Data(outgoing.bytes[message.payload])) as? [String: Any])
            }
            let records = events.compactMap { $0["data"] as? [String: Any] }
            #expect(records.compactMap { $0["seq"] as? Int } == [1, 2, 3, 4, 1, 2, 3, 4])
            let withoutContent = records.map { record in
                ["encrypted_content", "nonce", "recipient_keys"].allSatisfy { record[$0] is NSNull }
            }
            #expect(withoutContent == [true, true, true, false, true, true, true, false])
            #expect(records.map { $0["expires_at"] is NSNull } == [false, true, true, true, false, true, true, true])
            #expect(
                events.prefix(4).compactMap { $0["type"] as? String }
                    == ["message.new", "message.edited", "message.reaction", "message.new"])
        }
    }

    @Test("what an earlier process left unpublished goes out under the same rules")
    func nextProcessKeepsTheRules() throws {
        _ = try fill()
        var outgoing = Outgoing()
        for event in try test.store.read({ try $0.outbox.unpublished(after: 0, limit: 9) }) { outgoing.add(event) }
        let seconds = outgoing.items.map { $0.message(at: at(4_000)).expirySeconds }
        #expect(seconds == [6, 6, 6, nil])
        let late = outgoing.items.map { $0.message(at: at(10_000)).payload.count }
        #expect(zip(late, outgoing.items).filter { $0 < $1.message.payload.count }.count == 3)
    }
}
