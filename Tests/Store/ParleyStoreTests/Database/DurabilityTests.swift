import TestSupport
import Foundation
import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Durability", .onSQLite(.file))
final class DurabilityTests: StoreSuite {
    private func openedAgain() throws -> SQLiteFile {
        try SQLiteFile(path: directory.database, migrations: .shipped, trace: nil)
    }

    @Test("the writing connection syncs each commit")
    func commitsAreSynced() throws {
        let durability = try openedAgain().durability()
        #expect(durability.synchronous == 2)
        #expect(durability.journal == "wal")
    }

    @Test("the files are their owner's alone, also those that an earlier version has left to others")
    func filesArePrivate() throws {
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

    @Test("and still does when the file is opened again")
    func syncedWhenReopened() throws {
        try store.write { try $0.insertPeople(["alice"]) }
        let again = try openedAgain()
        #expect(try again.durability().synchronous == 2)
        #expect(try Store(again).read { try $0.users.hasMember("alice") })
    }

    @Test("what was committed is in the log at once, and in the file after a checkpoint")
    func logThenFile() throws {
        try store.write { try $0.insertPeople(["alice"]) }
        #expect(try !directory.bytes("parley.db-wal").isEmpty)
        try store.checkpoint()
        #expect(try directory.bytes("parley.db-wal").isEmpty)
        #expect(try Data(directory.bytes()).range(of: Data("alice!".utf8)) != nil)
    }
}

@Suite("A full disk", .onSQLite(.file))
struct FullDiskTests {
    @Test("without room nothing is written, reads go on, and with room again so do writes")
    func noRoomAndRoomAgain() throws {
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
            let error = #expect(throws: StoreError.self) {
                try store.write { transaction in
                    try transaction.insertPeople(["carol"])
                    try transaction.insertEvent(position: 1, topic: [1], payload: large[...], retain: false)
                }
            }
            guard case .full? = error else {
                Issue.record("not full: \(String(describing: error))")
                return
            }
            #expect(error?.isPassing == true)
            #expect(try store.read { try $0.users.hasMember("bob") })
            #expect(try !store.read { try $0.users.hasMember("carol") })
        }
        try store.execute("PRAGMA max_page_count = 1000000")
        try store.write { try $0.insertEvent(position: 1, topic: [1], payload: large[...], retain: false) }
        #expect(try store.text("SELECT length(payload) FROM outbox") == "60000")
        #expect(try store.text("PRAGMA integrity_check") == "ok")
    }
}
