import Foundation
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyStore

/// Which database of pushes belongs to a main one, and what it has from it.
@Suite("The database of pushes beside the main one")
struct PushLinkTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var pushPath: String { directory.path + "/push.db" }

    /// What the version before this one has written: registrations and events, jobs in every state, a held digest, what
    /// is displayed, and traces.
    private static let before = [
        "INSERT INTO users (id, role, display_name, created_at) VALUES ('alice', 'member', 'Alice', 0)",
        "INSERT INTO users (id, role, display_name, created_at) VALUES ('bob', 'member', 'Bob', 0)",
        """
        INSERT INTO conversations (key, id, type, created_by, created_at, updated_at, epoch, last_seq)
        VALUES (1, x'000102030405460788090a0b0c0d0e0f', 'direct', 'alice', 0, 5, 'k3Jx9w', 1)
        """,
        """
        INSERT INTO push_registrations VALUES ('bob', 'phone', 7, 'fcm', zeroblob(16),
            CAST('{"provider":"fcm","token":"device:1"}' AS BLOB), 3)
        """,
        """
        INSERT INTO push_events (position, kind, conversation, seq, user, device, notification, is_urgent, created_at, steady_at)
        VALUES (9, 0, 1, 1, NULL, NULL, NULL, 1, 5, 6), (9, 1, 1, 1, 'bob', 'phone', NULL, 0, 5, 6),
            (10, 2, NULL, NULL, 'bob', NULL, randomblob(16), 0, 5, 6), (11, 3, 1, 1, NULL, NULL, NULL, 0, 5, 6)
        """,
        """
        INSERT INTO push_jobs VALUES
            (x'01020304050647078809000102030401', 'bob', 'phone', 1, 7, 'fcm', 'message', 1, 1, NULL, NULL, 1, 5, 900, 10, 0, 2, 1, 1),
            (x'01020304050647078809000102030402', 'bob', 'phone', 2, 7, 'fcm', 'message', 1, 2, NULL, NULL, 0, 5, 900, NULL, 1, 1, 0, 0),
            (x'01020304050647078809000102030403', 'bob', 'phone', 3, 7, 'fcm', 'clear', 1, 2, NULL, zeroblob(16), 0, 5, 900, NULL, 0, 0, 0, 0)
        """,
        "INSERT INTO push_holds VALUES ('bob', 77)",
        "INSERT INTO push_shown VALUES ('bob', 0, 0), ('bob', 1, 2)",
        """
        INSERT INTO push_traces VALUES
            (x'01020304050647078809000102030402', zeroblob(16), 'bob', 'phone', 'fcm', 'message', 'notify', 5, 6, 1, 0, NULL, NULL, 999),
            (x'01020304050647078809000102030409', NULL, 'alice', NULL, NULL, 'digest', 'hold', 5, NULL, 0, 0, 8, 'too late', 998)
        """,
    ]

    private func makeBefore() throws {
        let old = try Store(path: directory.database, migrations: Migrations(Array(Migrations.steps.prefix(15))))
        for statement in Self.before { try old.execute(statement) }
        try old.close()
    }

    /// The two databases, linked by the name `first`.
    private func upgraded() throws -> (store: Store, pushes: PushStore) {
        try makeBefore()
        let (store, pushes) = (try Store(path: directory.database), try PushStore(path: pushPath))
        try pushes.link(to: store, name: "first")
        return (store, pushes)
    }

    /// Everything that a database of pushes holds of it.
    private func content(_ pushes: PushStore) throws -> [String] {
        try [
            """
            SELECT group_concat(quote(id) || position || provider || type || seq || quote(message) || is_urgent ||
                quote(due_at) || is_under_way || attempts || repeats || is_bypassed || deadline, ' ') FROM jobs
            """,
            #"SELECT group_concat("user" || until) FROM holds"#,
            #"SELECT group_concat("user" || conversation || '/' || seq) FROM displayed"#,
            """
            SELECT group_concat(quote(id) || quote(message) || "user" || quote(device) || type || decision || decided_at ||
                quote(sent_at) || attempts || quote(answered_at) || quote(answer) || disappears_at, ' ') FROM traces
            """,
        ].map { query in try pushes.read { try Snapshot(database: $0.database).text(query) } ?? "" }
    }

    private func carried(_ store: Store) throws -> String? {
        try store.text(
            """
            SELECT (SELECT count(*) FROM push_jobs) || ' ' || (SELECT count(*) FROM push_holds) || ' '
                || (SELECT count(*) FROM push_shown) || ' ' || (SELECT count(*) FROM push_traces)
            """)
    }

    @Test("what a version before has on its way, displayed and traced is moved once, wherever a process is killed")
    func upgrade() throws {
        try makeBefore()
        var states: [(PushStore.Step, TemporaryDirectory)] = []
        let store = try Store(path: directory.database)
        #expect(try carried(store) == "3 1 2 2")
        let pushes = try PushStore(path: pushPath)
        try pushes.link(to: store, name: "first") { step in
            do {
                let remains = try TemporaryDirectory()
                for name in try directory.names where !name.hasSuffix("-shm") && !name.contains("before") {
                    try FileManager.default.copyItem(
                        atPath: "\(directory.path)/\(name)", toPath: "\(remains.path)/\(name)")
                }
                states.append((step, remains))
            } catch {
                Issue.record(error)
            }
        }
        let moved = try content(pushes)
        #expect(moved[0].hasPrefix("X'01020304050647078809000102030401'1fcmmessage1NULL110021"))
        #expect(moved[1] == "bob77" && moved[2] == "bob0/0,bob1/2" && moved[3].contains("too late"))
        #expect(states.map(\.0) == PushStore.Step.allCases)
        for (_, remains) in states + [(.linked, directory)] {
            let store = try Store(path: remains.database)
            let pushes = try PushStore(path: remains.path + "/push.db")
            try pushes.link(to: store, name: "second")
            #expect(try content(pushes) == moved)
            #expect(try carried(store) == "0 0 0 0")
            // What is to be decided stays, in its order.
            #expect(
                try store.text("SELECT group_concat(position || '/' || kind) FROM push_events") == "9/0,9/1,10/2,11/3")
            #expect(try store.read { try $0.pushEvents.events(limit: 9).count } == 4)
            #expect(try store.text("PRAGMA foreign_key_check") == nil)
        }
    }

    @Test("a database of pushes that belongs to another is emptied, and its own is left as it is")
    func another() throws {
        let (store, pushes) = try upgraded()
        let own = try content(pushes)
        try pushes.link(to: store, name: "second")
        #expect(try content(pushes) == own)
        let other = try Store(path: directory.path + "/other.db")
        try pushes.write { try $0.plans.set(PushPlanRecord(number: 4, decidedThrough: nil, announcements: [])) }
        try pushes.link(to: other, name: "third")
        #expect(try content(pushes) == ["", "", "", ""])
        #expect(try pushes.read { try $0.plans.lastNumber() } == 0)
        #expect(try pushes.read { try $0.plans.name() } == other.read { try $0.pushLink.name() })
    }

    @Test("two databases of different times do not belong together, though they share a name")
    func differentTimes() throws {
        let (store, pushes) = try upgraded()
        let own = try content(pushes)
        func plan(_ number: Int, carriedOut: Int) throws {
            try pushes.write {
                try $0.plans.set(PushPlanRecord(number: number, decidedThrough: nil, announcements: []))
            }
            try store.write { try $0.pushLink.setPlan(carriedOut) }
        }
        for carriedOut in [4, 5] {
            try plan(5, carriedOut: carriedOut)
            try pushes.link(to: store, name: "second")
            #expect(try content(pushes) == own)
        }
        for carriedOut in [3, 6] {
            try plan(5, carriedOut: carriedOut)
            try pushes.link(to: store, name: "another-\(carriedOut)")
            #expect(try content(pushes) == ["", "", "", ""])
            #expect(try pushes.read { try $0.plans.name() } == "another-\(carriedOut)")
            #expect(try store.read { try $0.pushLink.plan() } == 0)
        }
    }

    @Test("a device's line goes on when what stood before in it has gone with its registration")
    func lineGoesOn() throws {
        let (_, pushes) = try upgraded()
        let later = try pushes.write { transaction in
            try transaction.database.run(
                """
                INSERT INTO jobs (id, "user", device, position, registration, provider, type, is_urgent, created_at,
                    deadline, is_under_way, attempts, repeats)
                VALUES (x'01020304050647078809000102030404', 'bob', 'phone', 4, 8, 'fcm', 'message', 0, 5, 900, 0, 0, 0)
                """)
            try transaction.jobs.removeAll(of: device("bob", "phone"), besides: 8, at: at(0), steady: at(50))
            return try Snapshot(database: transaction.database)
                .text("SELECT group_concat(position || '/' || due_at) FROM jobs")
        }
        #expect(later == "4/\(at(50).milliseconds)")
    }

    @Test("a backup carries what is held, displayed and traced, and nothing that is on its way")
    func backup() throws {
        let (_, pushes) = try upgraded()
        let own = try content(pushes)
        let copy = directory.path + "/copy.db"
        try DatabaseFile.copy(directory.database, to: copy, instance: "copy", pushes: pushPath)
        let restored = try Store(path: copy)
        #expect(try carried(restored) == "0 1 2 2")
        #expect(try restored.read { try $0.pushLink.name() } == nil)
        try restored.write { try $0.pushLink.remove() }
        try pushes.link(to: restored, name: "second")
        #expect(try content(pushes) == [""] + own.dropFirst())
        // That of another database is not its.
        try pushes.write { try $0.plans.setName("another") }
        let second = directory.path + "/second.db"
        try DatabaseFile.copy(directory.database, to: second, instance: "copy", pushes: pushPath)
        #expect(try carried(Store(path: second)) == "0 0 0 0")
    }
}
