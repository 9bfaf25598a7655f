import Foundation
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyDeviceStore

@Suite("What a device's files show")
struct SecrecyTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let marker = "PLANTED-marker-7741"

    /// Something of every kind, each with the marker in it, and searched for.
    private func plant() throws -> DeviceStore {
        let store = try directory.open()
        let bytes = Array(Self.marker.utf8)
        try store.write { transaction in
            try transaction.insert((1...50).map { stored("\(Self.marker) \($0)", seq: $0) })
            try transaction.replace(stored("\(Self.marker) edited", seq: 3))
            try transaction.save(ConversationState(id: conversation(1), object: bytes))
            for number in 100...120 as ClosedRange<UInt64> {
                try transaction.enqueue(message(number), in: conversation(1), content: bytes)
                try transaction.setRequest(bytes, of: message(number))
                try transaction.fail(message(number), reason: Self.marker)
            }
        }
        #expect(try store.search(SearchQuery(Self.marker)).count == 50)
        return store
    }

    private func expectNoMarker() throws {
        let needles = [Data(Self.marker.utf8), Data(Self.marker.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })]
        for name in try directory.names {
            let bytes = Data(try directory.bytes(name))
            for needle in needles { #expect(bytes.range(of: needle) == nil, "\(name)") }
        }
    }

    @Test("nothing that could be read stands in any file, while it is open, after closing and after more")
    func noPlaintextInAnyFile() throws {
        let store = try plant()
        #expect(try directory.bytes("messages.db-wal").count > 10_000)
        try expectNoMarker()
        try store.write { try $0.removeExpired(at: at(0)) }
        try store.close()
        #expect(try directory.bytes().count > 10_000)
        try expectNoMarker()
        try directory.open().write { transaction in
            let old = stored("moved", seq: 1).position
            try transaction.move(old, to: stored("moved", seq: 1, epoch: "new"))
        }
        try expectNoMarker()
    }

    @Test("the same content never looks the same twice")
    func sameContentLooksDifferent() throws {
        let store = try directory.open()
        try store.write { transaction in
            for seq in 1...20 { try transaction.insert(stored("same", seq: seq)) }
        }
        #expect(try store.number("SELECT count(DISTINCT sealed) FROM messages") == 20)
        let before = try store.number("SELECT count(*) FROM messages WHERE seq = 1")
        try store.execute("CREATE TEMP TABLE was AS SELECT sealed FROM messages WHERE seq = 1")
        try store.write { try $0.replace(stored("same", seq: 1)) }
        #expect(before == 1)
        #expect(try store.number("SELECT count(*) FROM messages JOIN was USING (sealed)") == 0)
    }

    @Test(
        "what was moved to another row, column or time is damaged there, and the rest is whole",
        arguments: [
            """
            UPDATE messages SET sealed = (SELECT sealed FROM messages WHERE seq = 2) WHERE seq = 1
            """,
            "UPDATE messages SET seq = 90 WHERE seq = 1",
            "UPDATE messages SET epoch = 'k3Jx9x' WHERE seq = 1",
            "UPDATE messages SET expires_at = 7 WHERE seq = 1",
            "UPDATE messages SET id = x'00000000000000090000000000000063' WHERE seq = 1",
            "UPDATE messages SET conversation = x'00000000000000070000000000000002' WHERE seq = 1",
            "UPDATE messages SET sealed = zeroblob(0) WHERE seq = 1",
            "UPDATE messages SET sealed = substr(sealed, 1, 39) WHERE seq = 1",
            "UPDATE messages SET sealed = CAST(sealed || x'00' AS BLOB) WHERE seq = 1",
        ])
    func moved(_ statement: String) throws {
        let store = try directory.open()
        try store.write { try $0.insert([stored("one", seq: 1), stored("two", seq: 2)]) }
        try store.execute(statement)
        let found = try [conversation(1), conversation(2)].flatMap { conversation in
            try ["k3Jx9w", "k3Jx9x"].flatMap { epoch in
                try store.read { try $0.messages(in: conversation, epoch: epoch, before: .max, limit: 10) }
            }
        }
        #expect(found.count == 2)
        #expect(found.compactMap(\.text) == ["two"])
        #expect(try store.search(SearchQuery("one")).isEmpty)
        #expect(try store.search(SearchQuery("two")).count == 1)
    }

    @Test(
        "what was moved within the queue is damaged there",
        arguments: [
            "UPDATE queue SET position = 9 WHERE position = 1",
            "UPDATE queue SET id = x'00000000000000090000000000000063' WHERE position = 1",
            "UPDATE queue SET conversation = x'00000000000000070000000000000002' WHERE position = 1",
            "UPDATE queue SET sealed_content = (SELECT sealed_content FROM queue WHERE position = 2) WHERE position = 1",
            "UPDATE queue SET sealed_content = sealed_request WHERE position = 1",
        ])
    func movedInQueue(_ statement: String) throws {
        let store = try directory.open()
        try store.write { transaction in
            try transaction.enqueue(1...2)
            for number in 1...2 as ClosedRange<UInt64> { try transaction.setRequest([9], of: message(number)) }
        }
        try store.execute(statement)
        #expect(try store.read { try $0.queued() }.compactMap(\.content) == [[2]])
    }

    @Test("a request that was moved is forgotten, and the message is sealed anew")
    func movedRequestIsForgotten() throws {
        let store = try directory.open()
        try store.write { transaction in
            try transaction.enqueue(1...2)
            try transaction.setRequest([9], of: message(1))
        }
        try store.execute("UPDATE queue SET sealed_request = (SELECT sealed_request FROM queue WHERE position = 1)")
        #expect(try store.read { try $0.queued() }.map(\.request) == [[9], nil])
    }

    @Test("a conversation's object from another row is none")
    func objectFromAnotherRow() throws {
        let store = try directory.open()
        try store.write { transaction in
            for number in 1...2 as ClosedRange<UInt64> {
                try transaction.save(ConversationState(id: conversation(number), object: [UInt8(number)]))
            }
        }
        try store.execute(
            "UPDATE conversations SET sealed = (SELECT sealed FROM conversations ORDER BY id LIMIT 1)")
        #expect(try store.read { try $0.conversations() }.map(\.object) == [[1], nil])
    }
}
