import ParleyProtocol
import TestSupport
import TestNames
import Testing

@testable import ParleyDeviceStore

@Suite("Migrations")
struct MigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A step that no version has shipped.
    private static let next = Migration(name: "next", sql: "ALTER TABLE messages ADD COLUMN shoe_size INTEGER")

    /// The schema as each shipped version has left it.
    struct Fixture: CustomTestStringConvertible, Sendable {
        let steps: [Migration]

        var testDescription: String { "schema \(steps.last?.name ?? "")" }

        static let shipped = [
            Fixture(steps: [.m001]), Fixture(steps: [.m001, .m002]), Fixture(steps: [.m001, .m002, .m003]),
            Fixture(steps: [.m001, .m002, .m003, .m004]), Fixture(steps: [.m001, .m002, .m003, .m004, .m005]),
        ]
    }

    @Test("every shipped schema comes to the present one with what is in it", arguments: Fixture.shipped)
    func shipped(_ fixture: Fixture) throws {
        try directory.keep("hello", in: Migrations(fixture.steps))
        let store = try directory.open()
        #expect(try store.texts() == ["hello"])
        #expect(try store.read { try $0.queued() }.map(\.content) == [[1]])
        #expect(try store.read { try $0.request(after: .min) } == nil)
        // What was kept before it was noted whether it counts is asked for.
        for counts in [true, false] {
            let unread = try store.read {
                try $0.unread(in: conversation(1), epoch: "k3Jx9w", after: 0) { _ in counts }
            }
            #expect(unread == (counts ? 1 : 0))
        }
        #expect(try store.read { try $0.changes(of: message(1), in: conversation(1)) }.isEmpty)
        #expect(try store.read { try $0.messages(in: conversation(1), .newest, limit: 9) }.map(\.chapter) == [0])
        #expect(try store.write { try $0.insert(stored("next", seq: 2)) } == .inserted)
    }

    @Test(
        "epochs that an earlier version has left side by side are put in their order",
        arguments: [("a", 2), ("k3Jx9w", 1), (nil, 2)])
    func epochs(_ present: String?, _ chapter: Int) throws {
        try directory.keep("hello", in: Migrations([.m001, .m002]))
        let old = try directory.open(migrations: Migrations([.m001, .m002]))
        // `a` was there before the fixture's own, and is the present one, or not.
        let (id, position) = (literal(conversation(1).blob), literal(message(5).blob))
        try old.execute(
            "UPDATE messages SET key = 7",
            "INSERT INTO messages (key, conversation, epoch, seq, id, sealed) VALUES (2, \(id), 'a', 1, \(position), x'00')",
            """
            INSERT INTO conversations (id, epoch, low_seq, high_seq, delivered_seq)
            VALUES (\(id), \(present.map { "'\($0)', 1, 1" } ?? "NULL, NULL, NULL"), 0)
            """)
        try old.close()
        let store = try directory.open()
        let found = try store.read { try $0.messages(in: conversation(1), .newest, limit: 9) }
        #expect(found.map(\.position.epoch) == ["a", "k3Jx9w"] && found.map(\.chapter) == [0, 1])
        #expect(try store.read { try $0.conversation(conversation(1)) }?.chapter == chapter)
        #expect(try store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'epochs_found'") == 0)
    }

    @Test("a newer version's file is refused by that version's name, and left as it is")
    func newerVersionIsRefused() throws {
        try directory.open(migrations: Migrations([.m001, .m002, .m003, .m004, .m005, Self.next])).write {
            try $0.insert(stored("hello", seq: 1))
        }
        let before = try directory.bytes()
        #expect(throws: DeviceStoreError.tooNew(path: directory.database, version: "next")) { try directory.open() }
        #expect(try directory.bytes() == before)
        #expect(
            try directory.open(migrations: Migrations([.m001, .m002, .m003, .m004, .m005, Self.next])).texts() == [
                "hello"
            ])
    }

    @Test("a step that fails changes nothing, and is taken when it is tried again")
    func failedStepIsTakenAgain() throws {
        try directory.open().write { try $0.insert(stored("hello", seq: 1)) }
        let broken = Migration(name: "next", sql: Self.next.sql + "; DROP TABLE nothing")
        #expect(throws: DeviceStoreError.self) { try directory.open(migrations: Migrations([.m001, .m002, broken])) }
        #expect(try directory.open().texts() == ["hello"])
        let store = try directory.open(migrations: Migrations([.m001, .m002, .m003, .m004, .m005, Self.next]))
        #expect(try store.number("SELECT count(*) FROM messages WHERE shoe_size IS NULL") == 1)
    }
}

extension TemporaryDirectory {
    /// Keeps a message, and one to be sent, as the version that left this schema did.
    fileprivate func keep(_ text: String, in migrations: Migrations) throws {
        let store = try open(migrations: migrations)
        let message = stored(text, seq: 1)
        try store.write { transaction in
            let sealed = try transaction.cipher.seal(
                message.payload, at: .message(message.position, target: nil, expiresAt: nil))
            try transaction.database.run(
                """
                INSERT INTO messages (conversation, epoch, seq, id, sealed)
                VALUES (\(literal(message.position.conversation.blob)), '\(message.position.epoch)', 1,
                    \(literal(message.position.id.blob)), \(literal(sealed)))
                """)
            let waiting = ParleyDeviceStoreTests.message(9)
            let content = try transaction.cipher.seal(
                [1], at: .queue(.content, position: 1, waiting, message.position.conversation))
            try transaction.database.run(
                """
                INSERT INTO queue (position, id, conversation, sealed_content)
                VALUES (1, \(literal(waiting.blob)), \(literal(message.position.conversation.blob)), \(literal(content)))
                """)
        }
        try store.close()
    }
}

/// Bytes as SQL has them.
private func literal(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF")
    return "X'" + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
}
