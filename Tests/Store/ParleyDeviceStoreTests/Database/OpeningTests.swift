import TestSupport
import ParleyProtocol
import Sodium
import TestNames
import Testing

@testable import ParleyDeviceStore

@Suite("Opening a device's database")
struct OpeningTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("what was written is there when it is opened again")
    func writtenIsThereAgain() throws {
        try directory.open().write { try $0.insert(stored("hello", seq: 1)) }
        #expect(try directory.open().texts() == ["hello"])
    }

    @Test("each commit is synced, also after opening again")
    func commitsAreSynced() throws {
        for _ in 0..<2 {
            let store = try directory.open()
            #expect(try store.number("PRAGMA synchronous") == 2)
            #expect(try store.read { try $0.database.row("PRAGMA journal_mode")?.text(0) } == "wal")
        }
    }

    @Test("every file is its owner's alone")
    func filesArePrivate() throws {
        let store = try directory.open()
        try store.write { try $0.insert(stored("hello", seq: 1)) }
        #expect(try directory.names == ["messages.db", "messages.db-shm", "messages.db-wal", "messages.db.lock"])
        for name in try directory.names { #expect(try directory.permissions(name) == 0o600, "\(name)") }
    }

    @Test("a second one is refused while the first is open")
    func secondIsRefused() throws {
        let store = try directory.open()
        #expect(failure { try directory.open() } == .inUse(path: directory.database))
        try store.close()
        _ = try directory.open()
    }

    @Test("letting go of it lets another have it")
    func closingLetsAnotherIn() throws {
        do { _ = try directory.open() }
        _ = try directory.open()
    }

    @Test("closing leaves nothing in the log")
    func closingEmptiesTheLog() throws {
        let store = try directory.open()
        try store.write { try $0.insert(stored("hello", seq: 1)) }
        try store.close()
        #expect(try directory.names == ["messages.db", "messages.db.lock"])
        #expect(try directory.open().texts() == ["hello"])
    }

    @Test("another key and another device are refused, and the file stays as it is")
    func otherKeyOrDeviceIsRefused() throws {
        try directory.open().write { try $0.insert(stored("hello", seq: 1)) }
        let before = try directory.bytes()
        #expect(failure { try directory.open(key: storageKey(1)) } == .wrongKey(path: directory.database))
        #expect(failure { try directory.open(tablet) } == .wrongKey(path: directory.database))
        #expect(try directory.bytes() == before)
        #expect(try directory.open().texts() == ["hello"])
    }

    @Test("a key of no use is refused")
    func uselessKeyIsRefused() throws {
        let short = try SecretBytes.random(count: 8)
        #expect(failure { try directory.open(key: short) } != nil)
    }

    @Test("a file without the row that tells the key is damaged once it holds anything")
    func missingKeyRowIsDamage() throws {
        try directory.open().execute("DELETE FROM key_check")
        try directory.open().write { try $0.insert(stored("hello", seq: 1)) }
        try directory.open().execute("DELETE FROM key_check")
        #expect(failure { try directory.open() } == .damaged(path: directory.database))
    }

    @Test("what is no database is damaged, and stays as it is")
    func foreignFileIsDamaged() throws {
        let text = Array(String(repeating: "this is no database\n", count: 400).utf8)
        try directory.write(text)
        #expect(failure { try directory.open() } == .damaged(path: directory.database))
        #expect(try directory.bytes() == text)
    }

    @Test("another program's database is refused, and stays as it is")
    func otherProgramIsRefused() throws {
        try directory.open().execute("DROP TABLE grdb_migrations")
        let before = try directory.bytes()
        #expect(failure { try directory.open() } == .damaged(path: directory.database))
        #expect(try directory.bytes() == before)
    }

    @Test("an empty file is a database to be made")
    func emptyFileIsMade() throws {
        try directory.write([])
        #expect(try directory.open().texts().isEmpty)
        #expect(try directory.permissions("messages.db") == 0o600)
    }

    @Test("a path that leads nowhere, and a directory, are named in the refusal")
    func badPathIsNamed() throws {
        for path in [directory.path, directory.path + "/nowhere/messages.db"] {
            let refusal = failure { try DeviceStore.open(path: path, device: phone, storageKey: storageKey()) }
            #expect(refusal?.description.contains(path) == true)
        }
    }

    @Test("one in memory keeps what it is given, and leaves no file")
    func inMemoryLeavesNoFile() throws {
        let store = try DeviceStore.inMemory(device: phone)
        try store.write { try $0.insert(stored("hello", seq: 1)) }
        #expect(try store.texts() == ["hello"])
        #expect(try DeviceStore.inMemory(device: phone).texts().isEmpty)
        #expect(try directory.names.isEmpty)
    }

    @Test("a transaction that throws leaves nothing")
    func throwingTransactionLeavesNothing() throws {
        let store = try directory.open()
        struct RefusedError: Error {}
        #expect(throws: DeviceStoreError.self) {
            try store.write { transaction in
                try transaction.insert(stored("secret", seq: 1))
                throw RefusedError()
            }
        }
        #expect(try store.texts().isEmpty)
        #expect(try store.search(SearchQuery("secret")).isEmpty)
    }

    @Test("a full disk is an error that names no content, and what was there stays")
    func fullDiskKeepsWhatWasThere() throws {
        let store = try directory.open()
        try store.write { try $0.insert(stored("hello", seq: 1)) }
        let pages = try store.number("SELECT page_count FROM pragma_page_count")
        // SQLite answers a write beyond it as it does on a disk that is full.
        try store.execute("PRAGMA max_page_count = \(pages)")
        let large = String(repeating: "marker ", count: 10_000)
        do throws(DeviceStoreError) {
            try store.write { try $0.insert(stored(large, seq: 2)) }
            Issue.record("there was room")
        } catch {
            guard case .sqlite(code: 13, let message) = error else {
                Issue.record("not full: \(error)")
                return
            }
            #expect(!message.contains("marker"))
        }
        try store.execute("PRAGMA max_page_count = 1000000")
        try store.write { try $0.insert(stored(large, seq: 2)) }
        #expect(try store.texts().count == 2)
    }
}
