import TestSupport
import Foundation
import ParleyProtocol
import Testing

@testable import ParleyDeviceStore

@Suite("A device's database, read beside whoever has it open")
struct ReaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func reader(_ device: DeviceAddress = phone, key: UInt8 = 0) throws -> DeviceStoreReader? {
        try DeviceStoreReader.open(path: directory.database, device: device, storageKey: storageKey(key))
    }

    private func text(_ reader: DeviceStoreReader, _ seq: Int) throws -> String? {
        try reader.read { try $0.message(at: seq, of: "k3Jx9w", in: conversation(1))?.text }
    }

    @Test("each read sees what was committed before it, while another has the file open and writes")
    func beside() throws {
        let store = try directory.open()
        try store.write { try $0.insert(stored("one", seq: 1)) }
        let reader = try #require(try reader())
        #expect(try text(reader, 1) == "one" && text(reader, 2) == nil)
        try store.write { try $0.insert(stored("two", seq: 2)) }
        #expect(try text(reader, 2) == "two")
        try store.write { transaction in
            try transaction.insert(stored("three", seq: 3))
            #expect(try text(reader, 3) == nil)
        }
        #expect(try text(reader, 3) == "three")
        #expect(try reader.read { try $0.message(message(2), in: conversation(1))?.text } == "two")
    }

    @Test("a writer waits for no reader: it commits and checkpoints while one is reading")
    func writerGoesOn() throws {
        let store = try directory.open()
        try store.write { try $0.insert(stored("one", seq: 1)) }
        let reader = try #require(try reader())
        try reader.read { snapshot in
            _ = try snapshot.message(message(1), in: conversation(1))
            for seq in 2..<200 { try store.write { try $0.insert(stored("text", seq: seq)) } }
            // Still the state that it began with.
            #expect(try snapshot.message(message(199), in: conversation(1)) == nil)
        }
        #expect(try text(reader, 199) == "text")
    }

    @Test("what a process has left that was killed is read with its log")
    func afterKill() throws {
        let store = try directory.open()
        try store.write { try $0.insert(stored("only in the log", seq: 1)) }
        let copy = try TemporaryDirectory()
        for name in ["messages.db", "messages.db-wal"] { try copy.write(directory.bytes(name), to: name) }
        let before = try (copy.bytes(), copy.bytes("messages.db-wal"))
        do {
            let reader = try #require(
                try DeviceStoreReader.open(path: copy.database, device: phone, storageKey: storageKey()))
            #expect(try text(reader, 1) == "only in the log")
        }
        #expect(try (copy.bytes(), copy.bytes("messages.db-wal")) == before)
        #expect(try copy.open().texts() == ["only in the log"])
    }

    @Test("reading a file that nobody has open leaves it as it is, and the next client opens it")
    func alone() throws {
        try directory.open().write { try $0.insert(stored("one", seq: 1)) }
        let before = try directory.bytes()
        do { #expect(try text(try #require(try reader()), 1) == "one") }
        #expect(try directory.bytes() == before)
        let store = try directory.open()
        #expect(try store.texts() == ["one"])
        try store.close()
        #expect(try directory.names == ["messages.db", "messages.db.lock"])
    }

    @Test("where nothing was kept there is nothing, and no file is made")
    func nothing() throws {
        #expect(try reader().map { _ in () } == nil)
        #expect(try directory.names.isEmpty)
        try directory.write([])
        #expect(try reader().map { _ in () } == nil)
    }

    @Test("another key, another device and what is no database are refused")
    func refused() throws {
        try directory.open().write { try $0.insert(stored("one", seq: 1)) }
        #expect(failure { try reader(key: 1) } == .wrongKey(path: directory.database))
        #expect(failure { try reader(tablet) } == .wrongKey(path: directory.database))
        try directory.write(Array(String(repeating: "this is no database\n", count: 400).utf8))
        #expect(failure { try reader() } == .damaged(path: directory.database))
    }

    @Test("a file of an older or a newer version is refused by the step that it is at, and not brought up to date")
    func otherSchema() throws {
        _ = try directory.open(migrations: Migrations([.m001, .m002]))
        let before = try directory.bytes()
        #expect(failure { try reader() } == .tooOld(path: directory.database, version: "002"))
        #expect(try directory.bytes() == before)
        try directory.open().execute("INSERT INTO grdb_migrations VALUES ('999')")
        #expect(failure { try reader() } == .tooNew(path: directory.database, version: "999"))
    }

    @Test("nothing can be written by it")
    func readOnly() throws {
        let store = try directory.open()
        try store.write { try $0.insert(stored("one", seq: 1)) }
        let reader = try #require(try reader())
        #expect(throws: DeviceStoreError.self) {
            try reader.read { try $0.database.run("DELETE FROM messages") }
        }
        #expect(try store.texts() == ["one"])
    }

    @Test("a conversation is read by its id")
    func conversations() throws {
        let store = try directory.open()
        let state = ConversationState(id: conversation(1), deliveredSeq: 4, object: [1, 2, 3])
        try store.write { transaction in
            try transaction.save(state)
            try transaction.save(ConversationState(id: conversation(2)))
        }
        let reader = try #require(try reader())
        #expect(try reader.read { try $0.conversation(conversation(1)) } == state)
        #expect(try reader.read { try $0.conversation(conversation(3)) } == nil)
    }
}
