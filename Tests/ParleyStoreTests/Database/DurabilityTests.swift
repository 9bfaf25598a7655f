import Foundation
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyStore

struct DurabilityTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(path: directory.database)
    }

    @Test func `the writing connection syncs each commit`() throws {
        let durability = try store.durability()
        #expect(durability.synchronous == 2)
        #expect(durability.journal == "wal")
    }

    @Test func `the files are their owner's alone, also those that an earlier version has left to others`() throws {
        try store.write { try $0.insertPeople(["alice"]) }
        for name in ["parley.db", "parley.db-wal", "parley.db-shm"] {
            #expect(try directory.permissions(name) == 0o600, "\(name)")
        }
        let other = try TemporaryDirectory()
        try Data().write(to: URL(filePath: other.database))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: other.database)
        let opened = try Store(path: other.database)
        try opened.write { try $0.insertPeople(["alice"]) }
        #expect(try other.permissions("parley.db") == 0o600)
        #expect(try other.permissions("parley.db-wal") == 0o600)
    }

    @Test func `and still does when the file is opened again`() throws {
        try store.write { try $0.insertPeople(["alice"]) }
        let again = try Store(path: directory.database)
        #expect(try again.durability().synchronous == 2)
        #expect(try again.read { try $0.users.hasMember("alice") })
    }

    @Test func `what was committed is in the log at once, and in the file after a checkpoint`() throws {
        try store.write { try $0.insertPeople(["alice"]) }
        #expect(try !directory.bytes("parley.db-wal").isEmpty)
        try store.checkpoint()
        #expect(try directory.bytes("parley.db-wal").isEmpty)
        #expect(try directory.bytes().range(of: Data("alice!".utf8)) != nil)
    }

    @Test func `a transaction that throws leaves nothing`() throws {
        struct RefusedError: Error {}
        #expect(throws: StoreError.self) {
            try store.write { transaction in
                try transaction.insertPeople(["alice", "bob"])
                try transaction.insertConversation(["alice", "bob"])
                throw RefusedError()
            }
        }
        #expect(try store.text("SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM conversations)") == "0")
        try store.write { try $0.insertPeople(["alice"]) }
    }

    @Test func `what fails in the middle takes what was before it along`() throws {
        #expect(throws: StoreError.self) {
            try store.write { try $0.insertPeople(["alice", "bob", "alice"]) }
        }
        #expect(try store.text("SELECT count(*) FROM users") == "0")
    }

    @Test func `a fault of ours names no content`() throws {
        try store.write { try $0.insertPeople(["alice"]) }
        do throws(StoreError) {
            try store.write { try $0.users.insert("alice", role: .member, displayName: "secret", at: at(0)) }
            Issue.record("the user id is not unique")
        } catch {
            #expect(!error.description.contains("secret") && !error.isPassing)
        }
    }

    @Test func `a reader sees one state while the writer goes on`() throws {
        try store.write { try $0.insertPeople(["alice"]) }
        try store.read { snapshot throws in
            #expect(try snapshot.text("SELECT count(*) FROM users") == "1")
            try store.write { try $0.insertPeople(["bob"]) }
            #expect(try snapshot.text("SELECT count(*) FROM users") == "1")
            #expect(try !snapshot.users.hasMember("bob"))
        }
        #expect(try store.read { try $0.users.hasMember("bob") })
    }

    @Test func `a transaction reads what it has written, and readers do not`() throws {
        try store.write { transaction in
            try transaction.insertPeople(["alice"])
            #expect(try transaction.facts.users.hasMember("alice"))
            #expect(try !store.read { try $0.users.hasMember("alice") })
        }
    }
}

struct FullDiskTests {
    @Test func `without room nothing is written, reads go on, and with room again so do writes`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.database)
        try store.write { transaction in
            try transaction.insertPeople(["alice", "bob"])
            try transaction.insertConversation(["alice", "bob"])
        }
        let pages = try #require(try store.text("SELECT page_count FROM pragma_page_count"))
        // Of the writing connection alone; SQLite answers a write beyond it as it does on a disk that is full.
        try store.execute("PRAGMA max_page_count = \(pages)")
        let large = [UInt8](repeating: 0, count: 60_000)
        for _ in 0..<3 {
            do throws(StoreError) {
                try store.write { transaction in
                    try transaction.insertPeople(["carol"])
                    try transaction.insertEvent(position: 1, topic: [1], payload: large[...], retain: false)
                }
                Issue.record("there was room")
            } catch {
                guard case .full = error else {
                    Issue.record("not full: \(error)")
                    return
                }
                #expect(error.isPassing)
            }
            #expect(try store.read { try $0.users.hasMember("bob") })
            #expect(try !store.read { try $0.users.hasMember("carol") })
        }
        try store.execute("PRAGMA max_page_count = 1000000")
        try store.write { try $0.insertEvent(position: 1, topic: [1], payload: large[...], retain: false) }
        #expect(try store.text("SELECT length(payload) FROM outbox") == "60000")
        #expect(try store.text("PRAGMA integrity_check") == "ok")
    }
}
