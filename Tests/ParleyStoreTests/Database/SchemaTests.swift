import ParleyProtocol
import Testing

@testable import ParleyStore

struct SchemaTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(path: directory.database)
    }

    @Test func `every table is strict`() throws {
        let loose = try store.text(
            """
            SELECT group_concat(name) FROM pragma_table_list
            WHERE type = 'table' AND schema = 'main' AND NOT strict AND name NOT IN ('sqlite_schema', 'grdb_migrations')
            """)
        #expect(loose == nil)
        #expect(
            try store.text("SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND strict AND schema = 'main'")
                == "21")
    }

    struct Statement: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// What the schema takes.
        let accepted: String
        /// The same but for what breaks the constraint.
        let refused: String
    }

    private static func record(position: Int, conversation: Int = 1, seq: Int, id: String) -> String {
        """
        INSERT INTO records (position, conversation, seq, id, kind, sender, sender_device, type, created_at, digest)
        VALUES (\(position), \(conversation), \(seq), \(id), 0, 'alice', 'phone', 0, 0, zeroblob(16))
        """
    }

    private static let id = "x'00000000000000000000000000000001'"
    private static let otherID = "x'00000000000000000000000000000002'"

    @Test(
        "a constraint refuses what must not be, and takes what may",
        arguments: [
            Statement(
                testDescription: "a seq is given once in a conversation",
                accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 2, seq: 1, id: otherID)),
            Statement(
                testDescription: "an id is given once",
                accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 2, seq: 2, id: id)),
            Statement(
                testDescription: "a position is given once",
                accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 1, seq: 2, id: otherID)),
            Statement(
                testDescription: "a seq counts from 1",
                accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 2, seq: 0, id: otherID)),
            Statement(
                testDescription: "an id has 16 bytes",
                accepted: record(position: 2, seq: 2, id: otherID), refused: record(position: 2, seq: 2, id: "x'00'")),
            Statement(
                testDescription: "a record is of a conversation that is there",
                accepted: record(position: 2, seq: 2, id: otherID),
                refused: record(position: 2, conversation: 9, seq: 2, id: otherID)),
            Statement(
                testDescription: "read <= delivered",
                accepted: "UPDATE members SET delivered_seq = 3, read_seq = 3",
                refused: "UPDATE members SET delivered_seq = 3, read_seq = 4"),
            Statement(
                testDescription: "a member is a user",
                accepted: "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'bob', 'member', 0)",
                refused: "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'carol', 'member', 0)"),
            Statement(
                testDescription: "a member is one once",
                accepted: "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'bob', 'member', 0)",
                refused: "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'alice', 'admin', 0)"),
            Statement(
                testDescription: "a column holds its type",
                accepted: "UPDATE users SET created_at = 1", refused: "UPDATE users SET created_at = 'today'"),
            Statement(
                testDescription: "quiet hours have both ends",
                accepted: "UPDATE users SET quiet_from = '22:00', quiet_to = '07:00'",
                refused: "UPDATE users SET quiet_from = '22:00'"),
            Statement(
                testDescription: "an account key has 32 bytes",
                accepted: "UPDATE users SET account_key = zeroblob(32)",
                refused: "UPDATE users SET account_key = zeroblob(31)"),
            Statement(
                testDescription: "a backup has a time, and 4 KiB at most",
                accepted: "UPDATE users SET account_backup = zeroblob(4096), account_backup_at = 1",
                refused: "UPDATE users SET account_backup = zeroblob(4097), account_backup_at = 1"),
            Statement(
                testDescription: "a certificate is of two keys",
                accepted: device(
                    "identity_key, keys_at, signing_key, certificate, issued_at",
                    "zeroblob(32), 0, zeroblob(32), zeroblob(64), 0"),
                refused: device(
                    "identity_key, keys_at, certificate, issued_at", "zeroblob(32), 0, zeroblob(64), 0")),
            Statement(
                testDescription: "a certificate has a time",
                accepted: device(
                    "identity_key, keys_at, signing_key, certificate, issued_at",
                    "zeroblob(32), 0, zeroblob(32), zeroblob(64), 0"),
                refused: device(
                    "identity_key, keys_at, signing_key, certificate", "zeroblob(32), 0, zeroblob(32), zeroblob(64)")),
            Statement(
                testDescription: "a device that is there offers itself to be linked",
                accepted: "INSERT INTO key_changes VALUES ('alice', NULL, 1, 0)",
                refused: """
                    INSERT INTO link_offers (user, device, identity_key, signing_key, link_key, expires_at)
                    VALUES ('alice', 'nothing', zeroblob(32), zeroblob(32), zeroblob(32), 0)
                    """),
            Statement(
                testDescription: "an identity key has 32 bytes",
                accepted: device("identity_key, keys_at", "zeroblob(32), 0"),
                refused: device("identity_key, keys_at", "zeroblob(31), 0")),
            Statement(
                testDescription: "keys have a time",
                accepted: device("identity_key, keys_at", "zeroblob(32), 0"),
                refused: device("identity_key", "zeroblob(32)")),
            Statement(
                testDescription: "there is one published mark",
                accepted: "UPDATE publishing SET published_through = 1",
                refused: "INSERT INTO publishing (id, published_through) VALUES (2, 0)"),
        ])
    func constraint(_ statement: Statement) throws {
        try store.write { try $0.insertPeople(["alice", "bob"]) }
        try store.execute(
            """
            INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch)
            VALUES (1, \(Self.id), 'group', 'alice', 0, 0, 'e')
            """)
        try store.execute("INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'alice', 'admin', 0)")
        try store.execute(Self.record(position: 1, seq: 1, id: Self.id))
        #expect(throws: StoreError.self) { try store.execute(statement.refused) }
        try store.execute(statement.accepted)
    }

    private static func device(_ columns: String, _ values: String) -> String {
        """
        INSERT INTO devices (user, id, token_id, created_at, expires_at, \(columns))
        VALUES ('alice', 'phone', zeroblob(16), 0, 0, \(values))
        """
    }
}
