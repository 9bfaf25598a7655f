import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Deleting an account")
struct DeleteAccountTests {
    private let world: AccountWorld
    private let dave: DeviceAddress
    private var test: TestWriter { world.test }

    init() throws {
        world = try AccountWorld()
        dave = try world.makeAccount("dave@example.com", "dave").address
        try test.execute("UPDATE users SET message_privacy = 'anyone'")
    }

    private func delete(
        _ user: UserID = "dave", password: String? = "correct horse", id: AccountRequestID = .random()
    ) throws -> Published {
        try world.ask(
            DeleteAccount(id: id, user: user, password: try password.map { try AccountWorld.password($0) }), by: dave)
    }

    /// Runs the duty until nothing is left of it.
    private func finish(_ writer: Writer? = nil) -> [AudienceChange] {
        let writer = writer ?? test.writer
        var (now, changes): (Timestamp, [AudienceChange]) = (at(0), [])
        for _ in 0..<1000 {
            guard let wait = writer.wait(for: AccountRemovalDuty.self, now: now) else { break }
            now = now.advanced(by: wait)
            changes += writer.run(AccountRemovalDuty.self, now: now).audience
        }
        return changes
    }

    /// A little of everything that a user may have.
    private func live() throws {
        let commands: [any Command] = [
            Follow(user: "alice"),
            LogWorkout(
                id: .random(), completedAt: at(0), timeZone: "UTC", kind: nil, minutes: 5),
            PostActivity(id: .random(), type: .goalReached, title: "5 km"),
        ]
        for command in commands { #expect(try world.ask(command, by: dave).isOK == true, "\(command.operation)") }
        #expect(try world.ask(Follow(user: "dave"), by: device("alice", "phone")).isOK == true)
        _ = try test.conversation(["alice", "dave", "bob"], id: CommandExample.group)
        try test.execute("UPDATE members SET role = 'admin' WHERE user = 'dave'")
        try test.group(["dave", "carol"], id: CommandExample.trainees)
        _ = try world.ask(
            CreateConversation(form: .direct, participants: ["alice"]), by: dave)
        let direct = try ConversationID.direct(["alice", "dave"])
        for conversation in [CommandExample.group, direct] {
            let outcome = test.carryOut([try send(conversation, from: dave)])
            #expect(try outcome.effects.outgoing.replies.first?.isOK == true)
        }
    }

    @Test("the password is asked for, and the own user id")
    func proof() throws {
        #expect(try delete(password: nil).code == "forbidden")
        #expect(try delete(password: "wrong").code == "forbidden")
        #expect(try delete("alice").code == "forbidden")
        #expect(try test.store.read { try $0.users.role(of: "dave") } == .member)
    }

    @Test("what is only the user's own goes; messages in others' conversations stay; nobody signs in any more")
    func deletes() throws {
        try live()
        #expect(try delete().isOK == true)
        #expect(try test.store.read { try $0.devices.device(dave) } == nil)
        #expect(try world.signIn("dave@example.com").code == "unauthenticated")
        let changes = finish()
        #expect(changes.contains { if case .friendsEnded = $0 { true } else { false } })
        let own = [
            "devices", "identities", "passwords", "follows WHERE 'dave' IN (follower, followed)", "workouts",
            "workout_runs", "activities", "notifications", "stored_bytes", "limit_uses", "presence", "departures",
            "account_removals",
            "device_watermarks", "board_entries",
        ]
        for table in own {
            let condition = table.contains("WHERE") ? table : "\(table) WHERE \"user\" = 'dave'"
            #expect(try test.text("SELECT count(*) FROM \(condition)") == "0", "\(table)")
        }
        #expect(
            try test.text(
                "SELECT count(*) FROM members m JOIN conversations c ON c.key = m.conversation "
                    + "WHERE m.user = 'dave' AND c.type = 'group'") == "0")
        #expect(try test.text("SELECT count(*) FROM records WHERE sender = 'dave' AND content IS NOT NULL") == "2")
        #expect(try test.text("SELECT display_name || role FROM users WHERE id = 'dave'") == "departed")
        #expect(try test.text("SELECT count(*) FROM pragma_foreign_key_check") == "0")
        // The group that they led has another admin.
        #expect(
            try test.text(
                "SELECT count(*) FROM members WHERE role = 'admin' AND conversation = "
                    + "(SELECT key FROM conversations WHERE name IS NULL AND type = 'group')") == "1")
    }

    @Test("the other of a direct conversation keeps it, and can write no more than to somebody who blocks them")
    func directConversation() throws {
        try live()
        #expect(try delete().isOK == true)
        _ = finish()
        let reader = try test.reader()
        let list: Published = try #require(
            try reader.answer(try request(ListConversations(), from: device("alice", "phone")), now: at(0)).published
                .first)
        #expect(list.isOK == true)
        let direct = try ConversationID.direct(["alice", "dave"])
        let replies = try (0..<3).map { _ in
            try #require(try test.carryOut([try send(direct)]).effects.outgoing.replies.first)
        }
        #expect(replies.last?.isOK == false)
        #expect(try world.ask(Follow(user: "dave"), by: device("alice", "phone")).code == "not_found")
        let profile = reader.answer(try request(GetProfile(user: "dave"), from: device("alice", "phone")), now: at(0))
        #expect(try profile.published.first?.code == "not_found")
    }

    @Test("the user id is never another's")
    func idStaysTaken() throws {
        #expect(try delete().isOK == true)
        _ = finish()
        #expect(try world.register("dave@example.com", as: "dave").code == "conflict")
        #expect(try world.register("dave@example.com", as: "david").isOK == true)
        let add = AddUser(user: "dave")
        #expect(try world.ask(add, by: device("operator", "console")).code == "conflict")
    }

    @Test("a process that is killed in the midst of it goes on, after each part")
    func killed() throws {
        try live()
        try test.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
            INSERT INTO workout_runs ("user", first_day, last_day) SELECT 'dave', -i * 10, -i * 10 FROM n
            """)
        #expect(try delete().isOK == true)
        var now = at(0)
        var parts = 0
        while try test.text("SELECT count(*) FROM account_removals") == "1", parts < 100 {
            // The next process does one part, and ends.
            let next = try test.anotherWriter()
            #expect(next.isDue(AccountRemovalDuty.self, now: now))
            _ = next.run(AccountRemovalDuty.self, now: now)
            now = now.advanced(by: .seconds(1))
            parts += 1
        }
        #expect(parts >= 4)
        #expect(try test.text("SELECT count(*) FROM workouts WHERE user = 'dave'") == "0")
        #expect(try test.text("SELECT count(*) FROM pragma_foreign_key_check") == "0")
    }
}
