import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("The stored clock", .onEveryStore)
final class ClockQueriesTests: PeopleSuite {
    @Test("a new database knows of no clock, whatever is in its log")
    func newHasNoClock() throws {
        let nothing = StoredClock(boot: nil, bootOffset: nil, clockOffset: 0, lastTime: nil)
        try store.write { transaction in
            #expect(try transaction.facts.clock.stored() == nothing)
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            try transaction.append(to: id, from: device("alice", "phone"), at: at(900_000_000_000))
            #expect(try transaction.facts.clock.stored() == nothing)
        }
    }

    @Test("what was stored comes back, with the time of the last record since")
    func storedComesBack() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            // By a clock that was years ahead, before the step back that is stored.
            try transaction.append(to: id, from: device("alice", "phone"), at: at(900_000_000_000))
            let clock = StoredClock(boot: "one", bootOffset: 17, clockOffset: -3, lastTime: at(10))
            try transaction.clock.store(clock)
            #expect(try transaction.facts.clock.stored() == clock)
            try transaction.append(to: id, from: device("alice", "phone"), at: at(50))
            #expect(
                try transaction.facts.clock.stored()
                    == StoredClock(boot: "one", bootOffset: 17, clockOffset: -3, lastTime: at(50)))
            try transaction.clock.store(StoredClock(boot: nil, bootOffset: nil, clockOffset: 4, lastTime: at(70)))
            #expect(
                try transaction.facts.clock.stored()
                    == StoredClock(boot: nil, bootOffset: nil, clockOffset: 4, lastTime: at(70)))
        }
    }

    @Test("a record keeps both times of its disappearing")
    func recordKeepsBothTimes() throws {
        try store.write { transaction in
            let conversation = try transaction.insertConversation(["alice", "bob"])
            let message = SendMessage(
                id: .random(), conversation: conversation.facts.id, type: .text, suite: .naclBox,
                content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24), expiresIn: 5)
            let record = MessageRecord(
                message, sender: device("alice", "phone"), epoch: "epoch", seq: 1, createdAt: at(900_000),
                steady: at(1_000))
            #expect(record.expiresAt == at(905_000) && record.disappearsAt == at(6_000))
            try transaction.records.insert(
                record, conversation: conversation.key, position: 1, digest: [UInt8](repeating: 1, count: 16))
            var state = conversation
            state.facts.append(record)
            try transaction.conversations.updateLog(&state)
            let facts = transaction.facts
            #expect(try facts.records.record(at: 1, in: state, seenBy: "bob") == record)
            guard case .record(1, let unpublished)? = try facts.outbox.unpublished(after: 0, limit: 1).first else {
                Issue.record("nothing is left to publish")
                return
            }
            #expect(unpublished == record)
            let target = try #require(try facts.records.target(record.id)?.target(in: state.facts.id, seenBy: "bob"))
            #expect(target.expiresAt == record.expiresAt && target.disappearsAt == record.disappearsAt)
            #expect(try facts.records.nextExpiry() == at(6_000))
            #expect(try transaction.records.removeExpired(at: at(5_999), limit: 9) == 0)
            #expect(try transaction.records.removeExpired(at: at(6_000), limit: 9) == 1)
        }
    }
}
