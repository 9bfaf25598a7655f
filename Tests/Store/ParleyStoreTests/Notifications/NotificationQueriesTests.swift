import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("The feeds of notifications in the store", .onEveryStore)
final class NotificationQueriesTests: PeopleSuite {
    private func row(
        _ number: Int, of user: UserID = "alice", by actor: UserID? = "bob", key: String? = nil,
        as type: NotificationType = .reaction, disappearsAt: Timestamp = at(.days(7))
    ) -> NotificationRow {
        NotificationRow(
            user: user, number: number,
            notification: FeedNotification(
                id: NotificationID(UUIDValue(high: user == "alice" ? 1 : 2, low: UInt64(number))),
                type: .known(type),
                actor: actor, subject: NotificationSubject(seq: number), badge: .countedLater, isRead: false,
                createdAt: at(0), expiresAt: at(.days(7))), key: key ?? "key\(number)", disappearsAt: disappearsAt)
    }

    private func insert(_ rows: [NotificationRow]) throws { try store.write { try $0.notifications.insert(rows) } }

    private func seqs(of user: UserID = "alice", before number: Int? = nil, limit: Int = 1000) throws -> [Int] {
        var seqs: [Int] = []
        try store.read { snapshot throws in
            try snapshot.notifications.read(of: user, before: number, limit: limit, badge: 0) { entry in
                seqs.append(entry.notification.subject.seq ?? 0)
                return true
            }
        }
        return seqs
    }

    private func unread(of user: UserID = "alice") throws -> Int {
        try store.read { try $0.notifications.unreadCount(of: user) }
    }

    @Test("a feed has the newest first, and nobody else's")
    func newestFirst() throws {
        try insert([row(1), row(2), row(3), row(1, of: "carol")])
        #expect(try seqs() == [3, 2, 1] && seqs(before: 3) == [2, 1] && seqs(limit: 1) == [3])
        #expect(try seqs(of: "carol") == [1] && seqs(of: "bob").isEmpty)
    }

    @Test("a feed that is full loses its oldest for each that comes")
    func fullFeed() throws {
        let most = NotificationFeed.mostTelling
        try insert((1...most).map { row($0) })
        try insert([row(1, of: "carol")])
        #expect(try seqs().count == most)
        try insert((most + 1...most + 7).map { row($0) })
        #expect(try seqs() == Array((8...most + 7).reversed()))
        #expect(try seqs(of: "carol") == [1])
    }

    @Test("what asks for something is displaced by nothing else, and displaces nothing else")
    func kinds() throws {
        let (asking, telling) = (NotificationFeed.mostAsking, NotificationFeed.mostTelling)
        try insert((1...asking).map { row($0, as: .challengeReceived) })
        try insert((asking + 1...asking + telling + 9).map { row($0) })
        #expect(
            try seqs().count == NotificationFeed.most && seqs().suffix(asking) == Array((1...asking).reversed())[...])
        try insert([row(asking + telling + 10, as: .messageRequest)])
        #expect(try seqs().count == NotificationFeed.most && seqs().last == 2)
        #expect(try seqs().contains(asking + 10))
    }

    @Test("a feed that is full loses what was read before what was not")
    func readFirst() throws {
        let most = NotificationFeed.mostAsking
        try insert((1...most).map { row($0, as: .challengeReceived) })
        let read = [row(most - 1), row(7)].map(\.notification.id)
        try store.write { try $0.notifications.markRead(read) }
        try insert((most + 1...most + 3).map { row($0, as: .messageRequest) })
        let left = Set(2...most + 3).subtracting([7, most - 1])
        #expect(try Set(seqs()) == left && seqs().count == most)
    }

    @Test("one that is refreshed is as new as that, and keeps its id")
    func refreshed() throws {
        try insert([row(1, key: "key"), row(2)])
        let (key, new) = (NotificationQueries.RepeatKey(user: "alice", key: "key"), row(3, disappearsAt: at(.days(9))))
        try store.write { try $0.notifications.refresh([(key: key, row: new)]) }
        #expect(try seqs() == [3, 2] && unread() == 2)
        #expect(try store.read { try $0.notifications.state(of: key)?.id } == row(1).notification.id)
        #expect(try store.write { try $0.notifications.removeExpired(at: at(.days(7)), limit: 9) } == 1)
        #expect(try seqs() == [3])
        #expect(try store.read { try $0.notifications.lastNumbers(of: ["alice"]) } == ["alice": 3])
    }

    @Test("what was caused by whom the user has blocked is neither listed nor counted while they have")
    func blocked() throws {
        try insert([row(1, by: "bob"), row(2, by: "carol"), row(3, by: nil)])
        try store.execute("INSERT INTO blocks VALUES ('alice', 'bob', 0, 0, 0), ('carol', 'alice', 0, 0, 0)")
        #expect(try seqs() == [3, 2] && unread() == 2)
        try store.execute("DELETE FROM blocks")
        #expect(try seqs() == [3, 2, 1] && unread() == 3)
    }

    @Test("reading some leaves the others unread, and another's are not one's own")
    func markRead() throws {
        try insert([row(1), row(2), row(3), row(1, of: "carol")])
        let ids = [row(1).notification.id, row(3).notification.id, row(1, of: "carol").notification.id]
        let found = try store.write { transaction in
            let found = try transaction.facts.notifications.unread(among: ids + ids + [.random()], of: "alice")
            try transaction.notifications.markRead(found)
            return found
        }
        #expect(found == Array(ids.prefix(2)))
        #expect(try unread() == 1 && unread(of: "carol") == 1)
        try store.write { try $0.notifications.markAllRead(of: "alice") }
        #expect(try unread() == 0 && unread(of: "carol") == 1)
        #expect(try store.read { try !$0.notifications.hasUnread("alice") && $0.notifications.hasUnread("carol") })
    }

    @Test("a key keeps its repeats away until it is released")
    func keys() throws {
        let key = NotificationQueries.RepeatKey(user: "alice", key: "key1")
        try insert([row(1), row(1, of: "carol")])
        #expect(throws: StoreError.self) { try insert([row(2, key: "key1")]) }
        let added = try store.read { try $0.notifications.added([key, .init(user: "bob", key: "key1")]) }
        #expect(added == [key: at(0)])
        try store.write { try $0.notifications.release([key]) }
        try insert([row(2, key: "key1")])
        #expect(try seqs() == [2, 1])
        #expect(
            try store.read { try $0.notifications.lastNumbers(of: ["alice", "bob", "carol"]) } == [
                "alice": 2, "carol": 1,
            ])
    }

    @Test("what is over is removed, the oldest first, some at once")
    func removal() throws {
        try insert((1...5).map { row($0, disappearsAt: at(Int64($0))) })
        #expect(try store.read { try $0.notifications.nextRemoval() } == at(1))
        #expect(try store.write { try $0.notifications.removeExpired(at: at(4), limit: 3) } == 3)
        #expect(try seqs() == [5, 4])
        #expect(try store.write { try $0.notifications.removeExpired(at: at(4), limit: 3) } == 1)
        #expect(try store.read { try $0.notifications.nextRemoval() } == at(5))
        #expect(try store.write { try $0.notifications.removeExpired(at: at(5), limit: 3) } == 1)
        #expect(try store.read { try $0.notifications.nextRemoval() } == nil)
    }

    @Test("a badge counts what is unread in all conversations that are neither muted, archived nor another's")
    func badge() throws {
        let direct = try store.write { try $0.insertConversation(["alice", "bob"]) }
        let group = try store.write { try $0.insertConversation(["alice", "bob", "carol"]) }
        func badge(_ user: UserID = "alice", at time: Timestamp = at(0)) throws -> Int {
            try store.read { try $0.unread.count(.badge(of: user, at: time)) }
        }
        try store.write { transaction in
            for _ in 0..<2 { try transaction.append(to: direct.facts.id, from: device("bob", "phone")) }
            for _ in 0..<3 { try transaction.append(to: group.facts.id, from: device("carol", "phone")) }
        }
        // Records of the fixture move the log; the place of the last message is that of the log here.
        try store.execute("UPDATE conversations SET last_message_seq = last_seq")
        #expect(try badge() == 5 && badge("bob") == 3 && badge("carol") == 0)
        try store.execute(#"UPDATE members SET read_seq = 1, delivered_seq = 1 WHERE "user" = 'alice'"#)
        #expect(try badge() == 3)
        try store.execute(
            #"UPDATE members SET is_muted = 1, muted_until = \#(at(5).milliseconds) WHERE "user" = 'alice'"#)
        #expect(try badge(at: at(4)) == 0 && badge(at: at(5)) == 3)
        try store.execute(#"UPDATE members SET muted_until = NULL WHERE "user" = 'alice'"#)
        #expect(try badge(at: at(5)) == 0)
        try store.execute(#"UPDATE members SET is_muted = 0 WHERE "user" = 'alice'"#)
        try store.execute(#"UPDATE members SET is_archived = 1 WHERE "user" = 'alice' AND conversation = 1"#)
        #expect(try badge() == 2)
        try store.execute(
            #"UPDATE members SET is_open = 0, is_counted = 0 WHERE "user" = 'alice' AND conversation = 2"#)
        #expect(try badge() == 0)
    }

    /// Puts a user into conversations of one message each, which they have not read, later ones having been active
    /// later.
    private func addConversations(_ keys: ClosedRange<Int>, of user: UserID) throws {
        let rows = keys.map { UnreadRow(conversation: $0, seq: 1, position: $0) }
        try store.write { transaction in
            try transaction.database.run(
                rows.map { [.integer($0.conversation), .blob($0.id), .integer($0.position)] },
                row: "(?, ?, 'group', 'bob', 0, ?, 'e', 1, 1)"
            ) { rows in
                """
                INSERT INTO conversations (
                    key, id, type, created_by, created_at, updated_at, epoch, last_seq, last_message_seq)
                VALUES \(rows)
                """
            }
            try transaction.database.run(
                """
                INSERT INTO members (conversation, "user", role, joined_at, active_at)
                SELECT key, '\(user)', 'member', 0, key FROM conversations WHERE key BETWEEN \(keys.lowerBound)
                    AND \(keys.upperBound)
                """)
            try transaction.insert(rows, from: "bob")
        }
    }

    @Test("badges of many are each their own, and count no conversations but the 200 that were active last")
    func badgesOfMany() throws {
        try addConversations(1...203, of: "alice")
        try addConversations(301...305, of: "carol")
        let scopes: [UnreadScope] = [
            .badge(of: "alice", at: at(0)), .badge(of: "carol", at: at(0)), .badge(of: "bob", at: at(0)),
            .badge(of: "carol", at: at(9)),
        ]
        func counts() throws -> [Int?] {
            try store.read { snapshot throws in
                let counts = try snapshot.unread.counts(scopes + scopes)
                return scopes.map { counts[$0] }
            }
        }
        #expect(try counts() == [200, 5, 0, 5])
        // What was read counts as one of the 200.
        try store.execute("UPDATE members SET read_seq = 1, delivered_seq = 1 WHERE conversation IN (203, 305)")
        try store.execute(
            "UPDATE members SET is_muted = 1, muted_until = \(at(9).milliseconds) WHERE conversation IN (202, 304)")
        #expect(try counts() == [198, 3, 0, 4])
        #expect(try store.read { try $0.unread.count(.badge(of: "alice", at: at(9))) } == 199)
    }

    @Test(
        "a badge of somebody in thousands of conversations costs as much as one of somebody in hundreds",
        .onSQLite(.plans))
    func costOfBadges() throws {
        func steps() throws -> Int {
            try store.read { snapshot throws in
                let statement = try snapshot.statement(UnreadQuery.conversations(of: "?"))
                _ = statement.drainSteps()
                #expect(try snapshot.unread.count(.badge(of: "alice", at: at(0))) == 200)
                return statement.drainSteps()
            }
        }
        try addConversations(1...400, of: "alice")
        let few = try steps()
        try addConversations(401...4000, of: "alice")
        let many = try steps()
        #expect(few > 0 && many <= few + 10, "\(many) steps, not \(few)")
    }

    @Test("room for a badge is kept for the next process")
    func keptBadge() throws {
        let pending = PendingUnread(scope: .badge(of: "alice", at: at(7)), offset: 3)
        try store.write { try $0.insertEvent(position: 1, topic: [1], payload: [1], retain: false, unread: pending) }
        let events = try store.read { try $0.outbox.unpublished(after: 0, limit: 9) }
        guard case .event(_, _, _, _, let kept) = try #require(events.first) else {
            Issue.record("it is no event")
            return
        }
        #expect(kept == pending)
    }
}
