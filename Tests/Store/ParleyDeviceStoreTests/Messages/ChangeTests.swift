import TestSupport
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyDeviceStore

@Suite("Records that are about messages, and what is unread")
struct ChangeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func change(
        _ seq: Int, of target: MessageID, expiresAt: Timestamp? = nil, _ text: String = "change"
    ) -> StoredMessage {
        StoredMessage(
            position: MessagePosition(
                conversation: conversation(1), epoch: "k3Jx9w", seq: seq, id: message(UInt64(seq))), target: target,
            expiresAt: expiresAt, payload: Array("\(seq)|\(text)".utf8))
    }

    @Test("pages of messages leave them out, pages of everything do not, and a message's own are found by it")
    func pages() throws {
        let store = try directory.open()
        try store.write { transaction in
            try transaction.insert(
                [
                    stored("one", seq: 1), change(2, of: message(1)), stored("two", seq: 3), change(4, of: message(3)),
                    change(5, of: message(1)),
                ])
        }
        func page(_ anchor: ChapterAnchor, _ limit: Int, _ contents: PageContents = .messages) throws -> [Int] {
            try store.read { try $0.messages(in: conversation(1), anchor, limit: limit, contents) }.map(\.position.seq)
        }
        func position(_ seq: Int) -> ChapterPosition { ChapterPosition(chapter: 0, seq: seq) }
        #expect(try page(.newest, 9) == [1, 3])
        #expect(try page(.newest, 9, .everything) == [1, 2, 3, 4, 5])
        #expect(try page(.before(position(5)), 1) == [3])
        #expect(try page(.after(position(1)), 1) == [3])
        #expect(try page(.around(position(3)), 2) == [1, 3])
        #expect(try page(.after(position(1)), 2, .everything) == [2, 3])
        let changes = try store.read { try $0.changes(of: message(1), in: conversation(1)) }
        #expect(changes.map(\.position.seq) == [2, 5])
        #expect(try store.read { try $0.changes(of: message(1), in: conversation(2)) }.isEmpty)
    }

    @Test("what it is about is part of what was sealed")
    func bound() throws {
        let store = try directory.open()
        try store.write { try $0.insert([stored("one", seq: 1), change(2, of: message(1))]) }
        try store.execute("UPDATE messages SET target = (SELECT id FROM messages WHERE seq = 2) WHERE seq = 2")
        let found = try store.read { try $0.message(message(2), in: conversation(1)) }
        guard case .damaged? = found else {
            Issue.record("a change that was moved to another message can be read: \(String(describing: found))")
            return
        }
        #expect(try store.texts() == ["one"])
    }

    @Test("a message that disappears takes its changes with it, and nobody else's")
    func expiry() throws {
        let store = try directory.open()
        try store.write { transaction in
            try transaction.insert(
                [
                    stored("stays", seq: 1), change(2, of: message(1), "kept"),
                    stored("goes", seq: 3, expiresAt: at(10)), change(4, of: message(3), "gone"),
                    stored("later", seq: 5, expiresAt: at(20)),
                ])
        }
        #expect(try store.read { try $0.nextExpiry() } == at(10))
        #expect(try store.write { try $0.removeExpired(at: at(9)) }.isEmpty)
        #expect(try store.write { try $0.removeExpired(at: at(10)) }.map(\.seq) == [3])
        #expect(try store.read { try $0.nextExpiry() } == at(20))
        let left = try store.read {
            try $0.messages(in: conversation(1), .newest, limit: 9, .everything)
        }
        #expect(left.map(\.position.seq) == [1, 2, 5])
        #expect(try store.write { try $0.removeExpired(at: at(20)) }.map(\.seq) == [5])
        #expect(try store.read { try $0.nextExpiry() } == nil)
    }

    @Test("what counts is counted after a seq, and no more once it does not count")
    func unread() throws {
        let store = try directory.open()
        func unread(after seq: Int) throws -> Int {
            try store.read {
                try $0.unread(in: conversation(1), epoch: "k3Jx9w", after: seq) { _ in
                    Issue.record("asked of what was noted")
                    return false
                }
            }
        }
        try store.write { transaction in
            for seq in 1...5 {
                var message = stored("\(seq)", seq: seq)
                message.counts = seq != 2
                try transaction.insert(message)
            }
        }
        #expect(try [0, 1, 3, 5].map(unread) == [4, 3, 2, 0])
        try store.write { try $0.replace(stored("deleted", seq: 4)) }
        #expect(try [0, 3].map(unread) == [3, 1])
    }
}
