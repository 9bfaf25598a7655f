import TestSupport
import Foundation
import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

@Suite("Migrations")
struct MigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A step that no version has shipped.
    private static let next = Migration(
        name: "next", sql: "ALTER TABLE users ADD COLUMN shoe_size INTEGER; UPDATE users SET shoe_size = 42;")
    private static let later = Migrations(Migrations.steps + [next])
    /// Of the conversation of a fixture.
    private static let id = ConversationID(UUIDValue(high: 0x0001_0203_0405_4607, low: 0x8809_0a0b_0c0d_0e0f))

    /// A database as each shipped version has left it, with a bit of everything in it.
    struct Fixture: CustomTestStringConvertible, Sendable {
        let steps: [Migration]

        var testDescription: String { "schema \(steps.last?.name ?? "")" }

        static let shipped = (1...Migrations.steps.count).map { Fixture(steps: Array(Migrations.steps.prefix($0))) }

        func build(at path: String, adding statements: [String] = []) throws {
            let store = try Store(path: path, migrations: Migrations(steps))
            for statement in Fixture.content + statements { try store.execute(statement) }
            try store.checkpoint()
        }

        /// In the words of schema 001: a later fixture adds its own.
        private static let content = [
            "INSERT INTO users (id, role, display_name, created_at) VALUES ('alice', 'member', 'Alice', 0)",
            "INSERT INTO users (id, role, display_name, created_at) VALUES ('bob', 'member', 'Bob', 0)",
            """
            INSERT INTO devices (user, id, token_id, created_at, expires_at, identity_key, keys_at)
            VALUES ('alice', 'phone', zeroblob(16), 0, 1000, zeroblob(32), 0)
            """,
            """
            INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch, last_seq)
            VALUES (1, x'000102030405460788090a0b0c0d0e0f', 'direct', 'alice', 0, 5, 'k3Jx9w', 1)
            """,
            "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'alice', 'member', 0)",
            "INSERT INTO members (conversation, user, role, joined_at) VALUES (1, 'bob', 'member', 0)",
            """
            INSERT INTO records (position, conversation, seq, id, kind, sender, sender_device, type, suite, content,
                nonce, created_at, digest)
            VALUES (1, 1, 1, zeroblob(16), 0, 'alice', 'phone', 0, 1, zeroblob(32), zeroblob(24), 5, zeroblob(16))
            """,
            "INSERT INTO outbox (position, topic, payload, retain) VALUES (2, x'61', x'62', 0)",
        ]
    }

    @Test("every shipped schema comes to the present one with all that is in it", arguments: Fixture.shipped)
    func shipped(_ fixture: Fixture) throws {
        try fixture.build(at: directory.database)
        let store = try Store(path: directory.database)
        try store.read { snapshot throws in
            let conversation = try #require(try snapshot.conversations.conversation(Self.id))
            #expect(conversation.facts.users == ["alice", "bob"] && conversation.facts.lastSeq == 1)
            #expect(conversation.facts.members.allSatisfy { $0.isOpen })
            #expect(try snapshot.users.profile("alice")?.displayName == "Alice")
            #expect(try snapshot.devices.keys(of: "alice").count == 1)
            #expect(try snapshot.userDetails.standing(of: "alice") == .enabled)
            #expect(try snapshot.outbox.unpublished(after: 0, limit: 10).map(\.position) == [1, 2])
        }
        #expect(try store.text("PRAGMA foreign_key_check") == nil)
    }

    @Test("a nacl-box from before there was the form of old apps is one still")
    func boxesStay() throws {
        try Fixture(steps: Array(Migrations.steps.prefix(16))).build(at: directory.database)
        let store = try Store(path: directory.database)
        try store.read { snapshot throws in
            let conversation = try #require(try snapshot.conversations.conversation(Self.id))
            let record = try snapshot.records.record(at: 1, in: conversation, seenBy: "bob")
            #expect(record?.suite == .known(.naclBox) && record?.content?.count == 32)
        }
        #expect(try directory.names.contains("parley.db.before-017"))
    }

    @Test("people who wrote to each other before there were rules go on as they were")
    func acquaintancesGoOn() throws {
        try Fixture(steps: [.m001]).build(at: directory.database)
        let store = try Store(path: directory.database)
        try store.read { snapshot throws in
            let contact = try #require(try snapshot.contacts.contact("alice", "bob"))
            #expect(contact["alice"].request == .open && contact["bob"].request == nil)
            #expect(try snapshot.conversations.conversation(Self.id)?.facts.lastMessageSeq == 1)
        }
    }

    @Test("a block that stood is carried out as what it looks like, and gives back what it ended")
    func blockIsCarriedOut() throws {
        try Fixture(steps: [.m001, .m002]).build(
            at: directory.database,
            adding: [
                "INSERT INTO users (id, role, display_name, created_at) VALUES ('carol', 'member', 'Carol', 0)",
                "INSERT INTO follows VALUES ('alice', 'bob', 1), ('bob', 'alice', 2), ('carol', 'alice', 3)",
                "INSERT INTO blocks VALUES ('bob', 'alice', 7), ('alice', 'carol', 9)",
                """
                INSERT INTO message_requests VALUES ('alice', 'carol', 'accepted', 1, 4), ('carol', 'bob', 'waiting', 1, 5)
                """,
                "UPDATE message_requests SET state = 'accepted' WHERE sender = 'alice' AND recipient = 'bob'",
                "INSERT OR IGNORE INTO message_requests VALUES ('alice', 'bob', 'accepted', 1, 6)",
            ])
        let store = try Store(path: directory.database)
        try store.read { snapshot throws in
            var friends = try #require(try snapshot.contacts.contact("alice", "bob"))
            #expect(friends["bob"].stance == .blocks(restoring: .init(follow: true, acceptance: true)))
            #expect(friends["alice"].stance == .follows && friends["alice"].request == .declined)
            #expect(friends.friendsUntil == Timestamp(milliseconds: 7))
            friends.unblock(by: "bob")
            #expect(friends.areFriends && friends.isAccepted)
            let asked = try #require(try snapshot.contacts.contact("alice", "carol"))
            #expect(asked["alice"].stance == .blocks(restoring: .init(acceptance: true)))
            #expect(asked["alice"].request == .cancelled && asked["carol"].request == .declined)
            #expect(asked["carol"].stance == .follows && asked.friendsUntil == nil)
            #expect(try snapshot.contacts.contact("bob", "carol")?["carol"].request == .waiting)
        }
        #expect(try store.text("PRAGMA foreign_key_check") == nil)
    }

    @Test("devices from before there were account keys have their keys, and are certified by nobody")
    func devicesAreUncertified() throws {
        try Fixture(steps: Array(Migrations.steps.prefix(6))).build(at: directory.database)
        let store = try Store(path: directory.database)
        try store.write { transaction in
            let facts = transaction.facts
            let keys = try #require(try facts.devices.keys(of: device("alice", "phone")))
            #expect(keys.certificate == nil && keys.identityKey.count == 32)
            #expect(try facts.accounts.userKeys(of: "alice") == UserKeys(user: "alice", devices: [keys]))
            let listed = try #require(try facts.devices.summaries(of: "alice").first)
            #expect(listed.hasKeys && !listed.isCertified && listed.name == nil && listed.lastSeen == nil)
            #expect(try facts.accounts.backup(of: "alice") == nil && facts.keyChanges.next() == nil)
            // And may be from now on.
            try transaction.accounts.setKey([UInt8](repeating: 1, count: 32), of: "alice")
            let certificate = DeviceCertificate(signature: [UInt8](repeating: 2, count: 64), issuedAt: at(0))
            try transaction.devices.setKeys(
                DeviceKeys(
                    device: "phone", identityKey: keys.identityKey, signingKey: keys.identityKey, signature: nil,
                    certificate: certificate, createdAt: keys.createdAt), of: "alice")
            #expect(try facts.devices.summaries(of: "alice").first?.isCertified == true)
        }
        #expect(try directory.names.contains("parley.db.before-007"))
    }

    @Test("conversations from before there were groups are no group's, and may be one's from now on")
    func conversationsAreNoGroups() throws {
        try Fixture(steps: Array(Migrations.steps.prefix(8))).build(at: directory.database)
        let store = try Store(path: directory.database)
        try store.write { transaction in
            let conversation = try transaction.facts.existing(Self.id)
            #expect(try transaction.facts.groups.group(of: conversation.key) == nil)
            #expect(try transaction.facts.groups.groups(of: "alice").isEmpty)
            let group = try transaction.groups.insert(
                .random(), of: conversation, timeZone: "UTC", digest: [UInt8](repeating: 1, count: 16))
            #expect(try transaction.facts.groups.groups(of: "alice") == [group])
        }
        #expect(try directory.names.contains("parley.db.before-009"))
    }

    @Test("conversations from before they were counted count for who has made them or come into them by themselves")
    func conversationsAreCounted() throws {
        try Fixture(steps: Array(Migrations.steps.prefix(14))).build(
            at: directory.database,
            adding: [
                """
                INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch)
                VALUES (2, randomblob(16), 'group', 'alice', 0, 0, 'e'), (3, randomblob(16), 'direct', 'alice', 0, 0, 'e'),
                    (4, randomblob(16), 'direct', 'alice', 0, 0, 'e')
                """,
                """
                INSERT INTO members (conversation, user, role, joined_at, is_open, added_by, made_at)
                VALUES (2, 'alice', 'admin', 0, 1, NULL, NULL), (2, 'bob', 'member', 0, 1, 'alice', NULL),
                    (3, 'alice', 'member', 0, 1, NULL, NULL), (3, 'bob', 'member', 0, 0, NULL, NULL),
                    (4, 'alice', 'member', 0, 1, NULL, NULL), (4, 'bob', 'member', 0, 1, NULL, 7)
                """,
            ])
        let store = try Store(path: directory.database)
        // Of the first, which the fixture has, alice is the maker.
        #expect(
            try store.text("SELECT group_concat(conversation || user) FROM members WHERE is_counted = 1")
                == "1alice,2alice,3alice,4alice,4bob")
        #expect(try store.read { try $0.members.countedConversations(of: "alice", atMost: 9) } == 4)
    }

    @Test("the present schema is the last that a fixture knows")
    func lastSchemaHasAFixture() throws {
        let fixture = try #require(Fixture.shipped.last)
        try fixture.build(at: directory.database)
        _ = try Store(path: directory.database)
        #expect(try !directory.names.contains { $0.contains("before") })
    }

    @Test("a copy is kept before a step is taken")
    func copyBeforeAStep() throws {
        try Fixture(steps: Migrations.steps).build(at: directory.database)
        let store = try Store(path: directory.database, migrations: Self.later)
        #expect(try store.text("SELECT DISTINCT shoe_size FROM users") == "42")
        #expect(try directory.names.contains("parley.db.before-next"))
        #expect(try !directory.names.contains { $0.contains("unfinished") })
        let copy = try Store(path: directory.database + ".before-next")
        #expect(try copy.text("SELECT group_concat(name) FROM pragma_table_info('users')")?.contains("shoe") == false)
        #expect(try copy.read { try $0.users.hasMember("bob") })
    }

    @Test("the copy holds what was in the log alone")
    func copyHoldsTheLog() throws {
        let store = try Store(path: directory.database)
        try store.write { try $0.insertPeople(["carol"]) }
        // Nothing was written back to the file itself.
        _ = try Store(path: directory.database, migrations: Self.later)
        let copy = try Store(path: directory.database + ".before-next")
        #expect(try copy.read { try $0.users.hasMember("carol") })
    }

    @Test("a step that fails changes nothing, and is taken when it is tried again")
    func failedStepIsTakenAgain() throws {
        try Fixture(steps: Migrations.steps).build(at: directory.database)
        let broken = Migration(name: "next", sql: "ALTER TABLE users ADD COLUMN shoe_size INTEGER; DROP TABLE nothing;")
        #expect(throws: StoreError.self) {
            try Store(path: directory.database, migrations: Migrations(Migrations.steps + [broken]))
        }
        let store = try Store(path: directory.database, migrations: Self.later)
        #expect(try store.text("SELECT DISTINCT shoe_size FROM users") == "42")
    }

    @Test("a newer schema is refused in a sentence, and its file left as it is")
    func newerIsRefused() throws {
        try Fixture(steps: Migrations.steps + [Self.next]).build(at: directory.database)
        let before = try directory.bytes()
        let error = #expect(throws: StoreError.self) { try Store(path: directory.database) }
        guard case .newerSchema(let path)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(path == directory.database && error?.description.contains("newer version") == true)
        #expect(try directory.bytes() == before)
    }

    @Test("another program's database is refused, and left as it is")
    func otherProgramIsRefused() throws {
        try Fixture(steps: [.m001]).build(at: directory.database)
        // What tells that the tables are ours.
        let store = try Store(path: directory.database)
        try store.execute("DROP TABLE grdb_migrations")
        try store.checkpoint()
        let before = try directory.bytes()
        expectUnusable(directory.database)
        #expect(try directory.bytes() == before)
    }

    @Test("an empty file is a database to be made")
    func emptyFileIsMade() throws {
        try Data().write(to: URL(filePath: directory.database))
        #expect(try Store(path: directory.database).text("SELECT count(*) FROM users") == "0")
    }

    @Test("what is no database is refused, and left as it is")
    func foreignFileIsRefused() throws {
        let text = Array(String(repeating: "this is no database\n", count: 400).utf8)
        try directory.write(text, to: "parley.db")
        expectUnusable(directory.database)
        #expect(try directory.bytes() == text)
    }

    @Test("a directory, and a path that leads nowhere, are named in the refusal")
    func badPathIsNamed() throws {
        expectUnusable(directory.path)
        expectUnusable(directory.path + "/nowhere/parley.db")
    }

    private func expectUnusable(_ path: String) {
        let error = #expect(throws: StoreError.self) { try Store(path: path) }
        guard case .unusable(path, _)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(error?.isPassing == false)
    }
}
