import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

/// The order of a user's conversations, by hints that lag behind.
@Suite("The order of conversations", .onEveryStore)
final class ConversationOrderTests: PeopleSuite {
    private func plan(_ query: String, _ snapshot: Snapshot) throws -> String {
        try snapshot.plan(query.replacing("?", with: "1"))
    }

    @Test("the hints are read in the index alone, and of the rest no more than the slice", .onSQLite(.plans))
    func hintsComeFromTheIndex() throws {
        try store.read { snapshot throws in
            let own = "INDEX members_of_user (user=? AND is_open=? AND is_archived=?"
            #expect(try plan(ConversationSlice.activities, snapshot) == "SEARCH members USING COVERING \(own))")
            #expect(
                try plan(ConversationSlice.later, snapshot) == "SEARCH members USING COVERING \(own) AND active_at>?)")
            #expect(try plan(ConversationSlice.total, snapshot) == "SEARCH members USING COVERING \(own))")
            #expect(
                try plan(ConversationSlice.query, snapshot)
                    == "SEARCH m USING COVERING \(own) AND active_at>? AND active_at<?); "
                    + "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)")
        }
    }

    @Test("a message writes to its members' rows no more than once a minute")
    func rowsOnceAMinute() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"], at: at(0)).facts.id
            for (time, hint) in [(1, 0), (60_000, 0), (60_001, 60_001), (120_000, 60_001), (200_000, 200_000)] {
                try transaction.append(to: id, from: device("alice", "phone"), at: at(Int64(time)))
                let hints = try transaction.database.list("SELECT active_at FROM members") { $0.time(0) }
                #expect(hints == [at(Int64(hint)), at(Int64(hint))])
            }
        }
    }

    @Test("where the clock was set back, the conversation has its place by the time that is right again")
    func clockSetBack() throws {
        let years = at(300_000_000_000)
        try store.write { transaction in
            let ids = try (0..<3).map { _ in try transaction.insertConversation(["alice", "bob"], at: at(0)).facts.id }
            try transaction.append(to: ids[0], from: device("alice", "phone"), at: years)
            // One of them has an end of her own, of then.
            var conversation = try transaction.facts.existing(ids[0])
            conversation.facts.members[0].ownEnd.updatedAt = years.advanced(byMilliseconds: 5)
            try transaction.conversations.updateOwnEnd(of: "alice", in: conversation)
            try transaction.append(to: ids[1], from: device("alice", "phone"), at: at(200_000))
            try transaction.append(to: ids[0], from: device("alice", "phone"), at: at(100_000))
            try transaction.append(to: ids[2], from: device("alice", "phone"), at: at(150_000))
            let facts = transaction.facts
            let expected = try [1, 2, 0].map { try facts.existing(ids[$0]).key }
            for user in ["alice", "bob"] as [UserID] {
                #expect(try facts.listings.keys(of: user, archived: false, limit: 9, offset: 0) == expected)
                for place in 0..<3 {
                    let page = try facts.listings.keys(of: user, archived: false, limit: 1, offset: place)
                    #expect(page == [expected[place]])
                }
                #expect(try facts.conversations.object(expected[2], seenBy: user)?.updatedAt == at(100_000))
            }
            #expect(try facts.existing(ids[0]).facts.farthestEnd.updatedAt == at(100_000))
        }
    }

    @Test("a new message brings a conversation back from the archive, and nothing else does")
    func messageEndsArchive() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            try transaction.append(to: id, from: device("bob", "phone"))
            var conversation = try transaction.facts.existing(id)
            try transaction.members.setPreferences(
                ConversationPreferences(isArchived: true), of: "alice", in: &conversation)
            func archived() throws -> [Int] {
                try [false, true].map { try transaction.facts.listings.count(of: "alice", archived: $0) }
            }
            #expect(try archived() == [0, 1])
            #expect(try transaction.facts.listings.count(of: "bob", archived: false) == 1)
            // A system record, as far as the log knows of it.
            conversation.facts.lastSeq += 1
            try transaction.conversations.updateLog(&conversation)
            #expect(try archived() == [0, 1])
            try transaction.append(to: id, from: device("alice", "phone"))
            #expect(try archived() == [1, 0])
        }
    }

    @Test("what is not the user's own is in none of their lists")
    func foreignIsInNoList() throws {
        try store.write { transaction in
            let key = try transaction.insertConversation(["alice", "bob"]).key
            try transaction.members.setOpen(false, for: "bob", in: key, isCounted: false)
            let facts = transaction.facts
            #expect(try facts.listings.keys(of: "alice", archived: false, limit: 9, offset: 0) == [key])
            for archived in [false, true] {
                #expect(try facts.listings.keys(of: "bob", archived: archived, limit: 9, offset: 0).isEmpty)
                #expect(try facts.listings.count(of: "bob", archived: archived) == 0)
            }
        }
    }
}
