import Testing

@testable import ParleyDeviceStore

struct MigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A step that no version has shipped.
    private static let next = Migration(name: "next", sql: "ALTER TABLE messages ADD COLUMN shoe_size INTEGER")

    /// The schema as each shipped version has left it.
    struct Fixture: CustomTestStringConvertible, Sendable {
        let steps: [Migration]

        var testDescription: String { "schema \(steps.last?.name ?? "")" }

        static let shipped = [Fixture(steps: [.m001])]
    }

    @Test("every shipped schema comes to the present one with what is in it", arguments: Fixture.shipped)
    func shipped(_ fixture: Fixture) throws {
        try directory.open(migrations: Migrations(fixture.steps)).write { transaction in
            try transaction.insert(stored("hello", seq: 1))
            try transaction.enqueue(message(9), in: conversation(1), content: [1])
        }
        let store = try directory.open()
        #expect(try store.texts(.newest) == ["hello"])
        #expect(try store.read { try $0.queued() }.map(\.content) == [[1]])
    }

    @Test func `a newer version's file is refused by that version's name, and left as it is`() throws {
        try directory.open(migrations: Migrations([.m001, Self.next])).write { try $0.insert(stored("hello", seq: 1)) }
        let before = try directory.bytes()
        #expect(throws: DeviceStoreError.tooNew(path: directory.database, version: "next")) { try directory.open() }
        #expect(try directory.bytes() == before)
        #expect(try directory.open(migrations: Migrations([.m001, Self.next])).texts(.newest) == ["hello"])
    }

    @Test func `a step that fails changes nothing, and is taken when it is tried again`() throws {
        try directory.open().write { try $0.insert(stored("hello", seq: 1)) }
        let broken = Migration(name: "next", sql: Self.next.sql + "; DROP TABLE nothing")
        #expect(throws: DeviceStoreError.self) { try directory.open(migrations: Migrations([.m001, broken])) }
        #expect(try directory.open().texts(.newest) == ["hello"])
        let store = try directory.open(migrations: Migrations([.m001, Self.next]))
        #expect(try store.number("SELECT count(*) FROM messages WHERE shoe_size IS NULL") == 1)
    }
}
