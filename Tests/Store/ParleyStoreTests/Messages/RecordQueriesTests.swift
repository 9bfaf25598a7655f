import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored records", .onEveryStore)
final class RecordQueriesTests: ConversationSuite {
    private let phone = device("alice", "phone")

    private static let everyRecord: [MessageRecord] = {
        var records: [MessageRecord] = []
        for kind in RecordKind.allCases {
            for type in MessageType.allCases {
                for suite in Suite.allCases + [nil] {
                    records.append(
                        MessageRecord(
                            id: .random(), conversation: .random(), epoch: "epoch", seq: 1, kind: kind,
                            target: kind == .message ? nil : .random(), sender: device("alice", "phone"), type: type,
                            suite: suite, content: suite.map { _ in [1, 2, 3] }, nonce: suite.map { _ in [4] },
                            recipientKeys: suite == .groupBox ? Array("[]".utf8) : nil,
                            replyTo: type == .text ? .random() : nil, expiresAt: type == .file ? at(9) : nil,
                            createdAt: at(3)))
                }
            }
        }
        return records
    }()

    @Test("every kind of record comes back as it was")
    func kindsComeBack() throws {
        for record in Self.everyRecord {
            try store.write { transaction in
                var conversation = try transaction.insertConversation(["alice", "bob"], id: record.conversation)
                try transaction.records.insert(
                    record, conversation: conversation.key, position: try transaction.nextPosition(),
                    digest: digest(of: record))
                conversation.facts.append(record)
                var found: [MessageRecord] = []
                try transaction.facts.records.read(conversation, after: 0, seenBy: "alice", limit: 9) {
                    found.append($0)
                    return true
                }
                #expect(found == [record])
            }
        }
    }

    @Test("a record is known by its id, wherever it is")
    func knownByID() throws {
        let record = try store.write { try $0.append(to: id, from: phone) }
        try store.read { snapshot throws in
            let expected = SendMessageRule.ExistingRecord(
                conversation: id, seq: 1, createdAt: at(1), digest: digest(of: record))
            #expect(try snapshot.records.location(of: record.id)?.record == expected)
            #expect(try snapshot.records.location(of: .random()) == nil)
        }
    }

    @Test("a record has a place in its own conversation alone")
    func placeInItsConversation() throws {
        let record = try store.write { try $0.append(to: id, from: phone) }
        try store.write { transaction in
            let other = try transaction.insertConversation(["alice", "carol"])
            let own = try transaction.facts.existing(id)
            #expect(try transaction.facts.records.location(of: record.id)?.seq(in: own.facts, visibleTo: "alice") == 1)
            let place = try #require(try transaction.facts.records.location(of: record.id))
            #expect(place.seq(in: other.facts, visibleTo: "alice") == nil)
            #expect(try transaction.facts.records.id(at: 1, in: own.key) == record.id)
            #expect(try transaction.facts.records.id(at: 2, in: own.key) == nil)
            #expect(try transaction.facts.records.id(at: 1, in: other.key) == nil)
        }
    }

    private func seqs(
        _ body: (Snapshot, ConversationState, (MessageRecord) throws -> Bool) throws -> Void, most: Int = .max
    ) throws -> [Int] {
        try store.read { snapshot throws in
            var seqs: [Int] = []
            try body(snapshot, try snapshot.existing(id)) {
                seqs.append($0.seq)
                return seqs.count < most
            }
            return seqs
        }
    }

    @Test("a log is read to either side of a place, which is left out")
    func bothSidesOfAPlace() throws {
        try store.write { transaction in
            for _ in 0..<6 { try transaction.append(to: id, from: phone) }
            // Another log, which must not mix in.
            let other = try transaction.insertConversation(["alice", "carol"]).facts.id
            for _ in 0..<6 { try transaction.append(to: other, from: phone) }
        }
        #expect(try seqs { try $0.records.read($1, before: 4, after: 0, seenBy: "alice", limit: 2, $2) } == [3, 2])
        #expect(try seqs { try $0.records.read($1, before: 5, after: 2, seenBy: "alice", limit: 9, $2) } == [4, 3])
        #expect(
            try seqs { try $0.records.read($1, before: .max, after: 0, seenBy: "alice", limit: 9, $2) } == [
                6, 5, 4, 3, 2, 1,
            ])
        #expect(try seqs { try $0.records.read($1, before: 1, after: 0, seenBy: "alice", limit: 9, $2) } == [])
        #expect(try seqs { try $0.records.read($1, after: 4, seenBy: "alice", limit: 9, $2) } == [5, 6])
        #expect(try seqs { try $0.records.read($1, after: 0, seenBy: "alice", limit: 2, $2) } == [1, 2])
        #expect(try seqs { try $0.records.read($1, after: 6, seenBy: "alice", limit: 2, $2) } == [])
        #expect(try seqs({ try $0.records.read($1, after: 0, seenBy: "alice", limit: 9, $2) }, most: 3) == [1, 2, 3])
        // Reading that was broken off is no obstacle to the next.
        #expect(try seqs { try $0.records.read($1, after: 0, seenBy: "alice", limit: 9, $2) } == [1, 2, 3, 4, 5, 6])
    }

    /// History is read through GRDB's rows, what a device missed through a statement of the hot path.
    @Test("a column that holds none of its values is named, whichever statement reads it")
    func columnHoldsNoneValuesNamed() throws {
        try store.write { [id, phone] transaction in _ = try transaction.append(to: id, from: phone) }
        try store.execute("UPDATE records SET sender_device = 'no/device'")
        let error = #expect(throws: StoreError.self) {
            try store.read { try $0.records.read($0.existing(id), after: 0, seenBy: "alice", limit: 9) { _ in true } }
        }
        let missed = #expect(throws: StoreError.self) {
            try store.read { snapshot in
                let candidate = try #require(try snapshot.sync.candidates(of: "alice", now: at(0)).first)
                try snapshot.sync.records(of: candidate, after: 0, seenBy: "alice") { _ in true }
            }
        }
        for error in [error, missed] {
            guard case .inconsistent(let inconsistency) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(inconsistency == .column(RecordColumn.device.rawValue))
        }
    }
}
