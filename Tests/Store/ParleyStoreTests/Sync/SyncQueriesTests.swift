import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("What sync reads", .onEveryStore)
final class SyncQueriesTests: PeopleSuite {
    @Test("candidates are the conversations that are the user's own, however they are archived")
    func candidatesAreOnesOwn() throws {
        try store.write { transaction in
            let first = try transaction.insertConversation(["alice", "bob"], at: at(10))
            let second = try transaction.insertConversation(["alice", "bob", "carol"], at: at(20))
            let closed = try transaction.insertConversation(["alice", "carol"], at: at(30))
            try transaction.append(to: first.facts.id, from: device("bob", "phone"))
            try transaction.database.run(
                #"UPDATE members SET is_open = 0, is_counted = 0 WHERE "user" = 'alice' AND conversation = \#(closed.key.value)"#
            )
            try transaction.database.run(
                #"UPDATE members SET visible_from = 7 WHERE "user" = 'alice' AND conversation = \#(second.key.value)"#)
            let found = try transaction.facts.sync.candidates(of: "alice", now: at(0))
            #expect(Set(found.map(\.id)) == [second.facts.id, first.facts.id] && found.count == 2)
            let active = try #require(found.first { $0.id == first.facts.id })
            #expect(active.log == SyncPlan.Log(epoch: "epoch", lastSeq: 1, visibleFrom: 0))
            #expect(active.updatedAt == at(1) && active.preferences == ConversationPreferences())
            let joined = found.first { $0.id == second.facts.id }
            #expect(joined?.log == SyncPlan.Log(epoch: "epoch", lastSeq: 0, visibleFrom: 7))
            #expect(try transaction.facts.sync.candidates(of: "carol", now: at(0)).count == 2)
        }
    }

    @Test(
        "muting lasts until its end",
        arguments: [
            ("is_muted = 1", .forever), ("is_muted = 1, muted_until = \(at(9).milliseconds)", .until(at(9))),
            ("is_muted = 1, muted_until = \(at(5).milliseconds)", .off), ("is_muted = 0", .off),
        ] as [(String, ConversationPreferences.Muting)])
    func mutingEnds(sql: String, muting: ConversationPreferences.Muting) throws {
        try store.write { transaction in
            try transaction.insertConversation(["alice", "bob"])
            try transaction.database.run("UPDATE members SET \(sql)")
            #expect(
                try transaction.facts.sync.candidates(of: "alice", now: at(5)).map(\.preferences.muting) == [muting])
        }
    }

    @Test("archived or marked as unread is said, and hides nothing")
    func archivedAndUnread() throws {
        try store.write { transaction in
            try transaction.insertConversation(["alice", "bob"])
            try transaction.database.run(
                #"UPDATE members SET is_archived = 1, is_marked_unread = 1 WHERE "user" = 'alice'"#)
            func preferences(_ user: UserID) throws -> [ConversationPreferences] {
                try transaction.facts.sync.candidates(of: user, now: at(5)).map(\.preferences)
            }
            #expect(try preferences("alice") == [ConversationPreferences(isArchived: true, isMarkedUnread: true)])
            #expect(try preferences("bob") == [ConversationPreferences()])
        }
    }

    @Test("records come from a place on, in order, until no more are wanted")
    func recordsInOrder() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            let records = try (0..<5).map { _ in try transaction.append(to: id, from: device("bob", "phone")) }
            let candidate = try #require(try transaction.facts.sync.candidates(of: "alice", now: at(0)).first)
            var found: [MessageRecord] = []
            try transaction.facts.sync.records(of: candidate, after: 1, seenBy: "alice") { record in
                found.append(record)
                return found.count < 3
            }
            #expect(found == Array(records[1...3]))
        }
    }

    @Test("unread is what others have written since, and is there still")
    func unreadOfOthers() throws {
        try store.write { transaction in
            let conversation = try transaction.insertConversation(["alice", "bob"])
            let (id, key) = (conversation.facts.id, conversation.key)
            try transaction.append(to: id, from: device("alice", "phone"))
            for _ in 0..<5 { try transaction.append(to: id, from: device("bob", "phone")) }
            func unread(_ user: UserID = "alice") throws -> Int {
                try transaction.facts.unread.count(of: user, in: key)
            }
            #expect(try unread() == 5 && unread("bob") == 1 && unread("carol") == 0)
            try transaction.mark(.read, upTo: 2, by: device("alice", "phone"), in: key)
            #expect(try unread() == 4)
            try transaction.database.run("UPDATE records SET content = NULL WHERE seq = 3")
            try transaction.database.run("UPDATE records SET type = 7 WHERE seq = 4")
            try transaction.database.run("UPDATE records SET kind = 1 WHERE seq = 5")
            #expect(try unread() == 1)
            try transaction.database.run(#"UPDATE members SET joined_seq = 6 WHERE "user" = 'alice'"#)
            #expect(try unread() == 0)
        }
    }
}
