import Foundation
import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyStore

/// Ciphertext that is deleted or disappears, on real files.
@Suite("Removing ciphertext", .onEveryStore, .seeded)
final class RemovalTests: ConversationSuite {
    /// Expects the marks of the ciphertexts in the rows and, on SQLite, in the files once these are cleaned.
    private func expectMarks(_ expected: Set<Int>, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try store.checkpoint()
        #expect(try marks() == expected, sourceLocation: sourceLocation)
        guard database is SQLiteDatabase else { return }
        let found = try Marked.found(in: directory)
        #expect(
            found == expected, "left behind: \(found.subtracting(expected).sorted())", sourceLocation: sourceLocation)
    }

    /// The marks of the ciphertexts that the rows have.
    private func marks() throws -> Set<Int> {
        try store.read { snapshot throws in
            var numbers: Set<Int> = []
            let conversation = try snapshot.existing(id)
            try snapshot.records.read(conversation, after: 0, seenBy: "alice", limit: .max) { record in
                #expect((record.content == nil) == (record.nonce == nil))
                #expect((record.content == nil) == (record.recipientKeys == nil))
                guard let content = record.content else { return true }
                let text = String(decoding: content.prefix(Marked.length), as: UTF8.self)
                numbers.insert(try #require(Int(text.suffix(8))))
                return true
            }
            return numbers
        }
    }

    @Test("a deleted message and its edits lose their ciphertext, in the rows and in the files")
    func deletedLosesCiphertext() throws {
        let (kept, message) = try store.write { transaction in
            let kept = try transaction.append(to: id, mark: 1)
            let message = try transaction.append(to: id, mark: 2)
            try transaction.append(to: id, mark: 3, kind: .edit, target: message)
            try transaction.append(to: id, mark: 4, count: 20_000, kind: .edit, target: message)
            try transaction.append(to: id, mark: 5, kind: .reaction, target: message)
            try transaction.append(to: id, mark: 6, kind: .edit, target: kept)
            return (kept, message)
        }
        try expectMarks([1, 2, 3, 4, 5, 6])
        try store.write { transaction in
            try transaction.append(to: id, mark: 7, kind: .delete, target: message)
            try transaction.records.removeCiphertext(of: message)
        }
        // Until it is cleaned, the log beside SQLite's database has the pages as they were.
        if database is SQLiteDatabase { #expect(try Marked.found(in: directory).contains(2)) }
        try expectMarks([1, 5, 6])
        try store.write { try $0.records.removeCiphertext(of: kept) }
        try expectMarks([5])
    }

    @Test("what is due loses its ciphertext, the oldest first, and no more at once than is asked for")
    func dueLosesCiphertext() throws {
        try store.write { transaction in
            for mark in 1...6 { try transaction.append(to: id, mark: mark, expiresAt: at(Int64(70 - mark * 10))) }
            try transaction.append(to: id, mark: 7)
            try transaction.append(to: id, mark: 8, kind: .delete, target: .random(), expiresAt: at(5))
        }
        #expect(try store.read { try $0.records.nextExpiry() } == at(10))
        #expect(try store.write { try $0.records.removeExpired(at: at(9), limit: 9) } == 0)
        #expect(try store.write { try $0.records.removeExpired(at: at(10), limit: 9) } == 1)
        #expect(try store.read { try $0.records.nextExpiry() } == at(20))
        #expect(try store.write { try $0.records.removeExpired(at: at(50), limit: 2) } == 2)
        try expectMarks([1, 2, 3, 7])
        #expect(try store.write { try $0.records.removeExpired(at: at(50), limit: 2) } == 2)
        #expect(try store.write { try $0.records.removeExpired(at: at(50), limit: 2) } == 0)
        #expect(try store.read { try $0.records.nextExpiry() } == at(60))
        #expect(try store.write { try $0.records.removeExpired(at: at(1000), limit: 9) } == 1)
        #expect(try store.read { try $0.records.nextExpiry() } == nil)
        try expectMarks([7])
    }

    @Test("what loses its ciphertext keeps its place and is known when it is sent again")
    func removedKeepsItsPlace() throws {
        let message = try store.write { try $0.append(to: id, mark: 1, expiresAt: at(10)) }
        let before = try store.read { try $0.records.location(of: message) }
        _ = try store.write { try $0.records.removeExpired(at: at(10), limit: 9) }
        try store.read { snapshot throws in
            #expect(try snapshot.records.location(of: message) == before && before != nil)
            try snapshot.records.read(try snapshot.existing(id), after: 0, seenBy: "alice", limit: 9) { record in
                #expect(record.id == message && record.seq == 1 && record.expiresAt == at(10))
                #expect(record.content == nil && record.nonce == nil && record.recipientKeys == nil)
                return true
            }
        }
    }

    @Test("the target of a change is told with what has become of it")
    func targetOfAChange() throws {
        let message = try store.write { try $0.append(to: id, mark: 1, expiresAt: at(10)) }
        func target(_ id: MessageID) throws -> ChangeMessageRule.Target? {
            try store.read { try $0.records.target(id)?.target(in: self.id, seenBy: "bob") }
        }
        func expected(hasContent: Bool, edits: Int, deletion: ChangeMessageRule.Deletion?) -> ChangeMessageRule.Target {
            ChangeMessageRule.Target(
                seq: 1, kind: .message, type: .text, sender: "alice", hasContent: hasContent, expiresAt: at(10),
                edits: edits, deletion: deletion)
        }
        #expect(try target(message) == expected(hasContent: true, edits: 0, deletion: nil))
        #expect(try target(.random()) == nil)
        let deletion = try store.write { transaction in
            for mark in 2...4 { try transaction.append(to: id, mark: mark, kind: .edit, target: message) }
            try transaction.append(to: id, mark: 5, kind: .reaction, target: message)
            try transaction.records.removeCiphertext(of: message)
            return try transaction.append(to: id, mark: 6, kind: .delete, target: message)
        }
        let gone = ChangeMessageRule.Deletion(id: deletion, seq: 6, createdAt: at(1))
        #expect(try target(message) == expected(hasContent: false, edits: 3, deletion: gone))
        #expect(try target(deletion)?.kind == .delete)
        let other = try store.write { try $0.insertConversation(["alice", "bob"]).facts.id }
        #expect(try store.read { try $0.records.target(message)?.target(in: other, seenBy: "bob") } == nil)
    }

    @Test(
        "each of these look-ups has its index: where it does not fit, SQLite refuses to use it", .onSQLite(.plans),
        arguments: [
            (
                "SELECT count(*) FROM records INDEXED BY records_of_target WHERE target = x'00' AND kind = 1",
                "SELECT count(*) FROM records INDEXED BY records_of_target WHERE kind = 1"
            ),
            (
                """
                SELECT count(*) FROM records INDEXED BY records_to_disappear
                WHERE disappears_at IS NOT NULL AND disappears_at <= 9 AND content IS NOT NULL
                """, "SELECT count(*) FROM records INDEXED BY records_to_disappear WHERE disappears_at <= 9"
            ),
        ])
    func indexes(fitting: String, other: String) throws {
        #expect(try store.text(fitting) == "0")
        #expect(throws: StoreError.self) { try store.text(other) }
    }

    @Test("no piece of a removed ciphertext is left, whatever was written and removed before it", .onSQLite(.file))
    func noPieceIsLeft() throws {
        var random = Seeded()
        var present: [Int: MessageID] = [:]
        var due: [(mark: Int, at: Int64)] = []
        var now: Int64 = 0
        for mark in 1...TestForm.count(short: 200, whole: 800) {
            now += 1
            let count = random.chance(0.05) ? random.number(4_000...30_000) : random.number(40...2_000)
            let expires = random.chance(0.3) ? now + Int64(random.number(1...80)) : nil
            let removed = random.chance(0.25) ? present.keys.sorted().randomElement(using: &random) : nil
            try store.write { transaction in
                let message = try transaction.append(
                    to: id, mark: mark, count: count, expiresAt: expires.map { at($0) })
                if let expires { due.append((mark, expires)) } else { present[mark] = message }
                // Other rows that come and go in the same file.
                try transaction.insertEvent(
                    position: try transaction.nextPosition(), topic: [1],
                    payload: random.bytes(10...3_000)[...], retain: false)
                if random.chance(0.2) {
                    try transaction.outbox.advance(through: try transaction.facts.outbox.lastPosition())
                }
                if let message = removed.flatMap({ present.removeValue(forKey: $0) }) {
                    try transaction.records.removeCiphertext(of: message)
                }
                _ = try transaction.records.removeExpired(at: at(now), limit: 64)
            }
            due.removeAll { $0.at <= now }
            guard mark % 100 == 0 else { continue }
            let left = Set(present.keys).union(due.map(\.mark))
            try expectMarks(left)
        }
    }

    @Test("a cleaning waits for no reader for long, and is done when the reader has ended", .onSQLite(.file))
    func cleaningWaitsForNoReader() throws {
        let message = try store.write { try $0.append(to: id, mark: 1) }
        try store.read { snapshot throws in
            #expect(try snapshot.records.location(of: message) != nil)
            try store.write { try $0.records.removeCiphertext(of: message) }
            do throws(StoreError) {
                try store.checkpoint()
                Issue.record("the reader's pages were taken from it")
            } catch {
                #expect(error.isPassing)
            }
            #expect(try snapshot.records.location(of: message) != nil)
        }
        try expectMarks([])
    }

    @Test("beside a reader that holds an old state a cleaning ends at once, and is done without one", .onSQLite(.file))
    func cleaningBesideReader() throws {
        let message = try store.write { try $0.append(to: id, mark: 1) }
        try store.read { snapshot throws in
            #expect(try snapshot.records.location(of: message) != nil)
            try store.write { try $0.records.removeCiphertext(of: message) }
            #expect(throws: StoreError.self) { try store.checkpointIfFree() }
        }
        try store.checkpointIfFree()
        try expectMarks([])
    }
}
