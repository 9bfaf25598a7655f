import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored conversations", .onEveryStore)
final class ConversationQueriesTests: PeopleSuite {
    @Test("a conversation comes back with its members and what made it")
    func comesBackWhole() throws {
        let id = ConversationID.random()
        try store.write { transaction in
            let key = try transaction.conversations.insert(
                NewConversation(
                    id: id, type: .group, name: "Runners", creator: "bob",
                    members: [("bob", .admin), ("alice", .member)],
                    epoch: "k3Jx9w", digest: [1, 2, 3]), at: at(5))
            let facts = transaction.facts
            #expect(
                try facts.conversations.conversation(id)?.facts
                    == ConversationFacts(
                        id: id, type: .group, epoch: "k3Jx9w", lastSeq: 0, lastMessageSeq: 0, updatedAt: at(5),
                        members: [
                            MemberFacts(user: "alice", role: .member, joinedAt: at(5)),
                            MemberFacts(user: "bob", role: .admin, joinedAt: at(5)),
                        ]))
            let object = try #require(try facts.conversations.object(key, seenBy: nil))
            #expect(object.name == "Runners" && object.createdBy == "bob" && object.createdAt == at(5))
            #expect(
                object.members == [
                    Member(user: "alice", username: "alice!", role: .known(.member), joinedAt: at(5)),
                    Member(user: "bob", username: "bob!", role: .known(.admin), joinedAt: at(5)),
                ])
            let origin = try #require(try facts.conversations.origin(of: id))
            #expect(origin.creator == "bob" && origin.digest == [1, 2, 3])
        }
    }

    @Test("one that is not there is nothing")
    func missingIsNothing() throws {
        try store.read { snapshot throws in
            #expect(try snapshot.conversations.conversation(.random()) == nil)
            #expect(try snapshot.conversations.origin(of: .random()) == nil)
            #expect(try snapshot.listings.keys(of: "alice", archived: false, limit: 10, offset: 0).isEmpty)
            #expect(try snapshot.listings.count(of: "alice", archived: false) == 0)
        }
    }

    @Test("a user's conversations come in the order of their last records")
    func orderOfLastRecords() throws {
        try store.write { transaction in
            var ids: [ConversationID] = []
            for minute in 0..<5 {
                ids.append(try transaction.insertConversation(["alice", "bob"], at: at(Int64(minute))).facts.id)
            }
            try transaction.insertConversation(["bob", "carol"])
            try transaction.append(to: ids[1], from: device("alice", "phone"), at: at(100))
            let facts = transaction.facts
            let keys = try [1, 4, 3, 2, 0].map { try facts.existing(ids[$0]).key }
            #expect(try facts.listings.keys(of: "alice", archived: false, limit: 10, offset: 0) == keys)
            #expect(try facts.listings.keys(of: "alice", archived: false, limit: 2, offset: 1) == Array(keys[1...2]))
            #expect(try facts.listings.keys(of: "alice", archived: false, limit: 2, offset: 9).isEmpty)
            #expect(try facts.listings.count(of: "alice", archived: false) == 5)
            #expect(try facts.listings.count(of: "bob", archived: false) == 6)
        }
    }

    @Test("what is unread is what others have written since")
    func unreadOfOthers() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            try transaction.append(to: id, from: device("alice", "phone"))
            for _ in 0..<3 { try transaction.append(to: id, from: device("bob", "phone")) }
            let last = try transaction.append(to: id, from: device("alice", "phone"))
            let key = try transaction.facts.existing(id).key
            let before = try #require(try transaction.facts.listings.listing(key, for: "alice", now: at(0))?.listEntry)
            #expect(before.unread == .counted(3) && before.lastReadSeq == 0 && before.lastMessage == last)
            try transaction.mark(.read, upTo: 3, by: device("alice", "phone"), in: key)
            let after = try #require(try transaction.facts.listings.listing(key, for: "alice", now: at(0))?.listEntry)
            #expect(after.unread == .counted(1) && after.lastReadSeq == 3)
            #expect(
                try transaction.facts.listings.listing(key, for: "bob", now: at(0))?.listEntry?.unread == .counted(2))
        }
    }

    @Test("an empty conversation has no last message")
    func emptyHasNoLastMessage() throws {
        try store.write { transaction in
            let key = try transaction.insertConversation(["alice", "bob"]).key
            let listing = try #require(try transaction.facts.listings.listing(key, for: "alice", now: at(0))?.listEntry)
            #expect(listing.lastMessage == nil && listing.unread == .counted(0))
        }
    }

    @Test("two users share a conversation or do not")
    func sharedOrNot() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            #expect(try !transaction.facts.members.shareConversation("alice", with: "bob"))
            try transaction.append(to: id, from: device("bob", "phone"))
            #expect(try transaction.facts.members.shareConversation("alice", with: "bob"))
            #expect(try transaction.facts.members.shareConversation("bob", with: "alice"))
            #expect(try !transaction.facts.members.shareConversation("alice", with: "carol"))
        }
    }

    @Test("every audience is given once and whole")
    func audiencesAreWhole() throws {
        try store.write { transaction in
            var expected: [ConversationID: [UserID]] = [:]
            #expect(try audiences(transaction.facts).isEmpty)
            for members in [["alice", "bob"], ["alice", "bob", "carol"], ["bob", "carol"]] as [[UserID]] {
                expected[try transaction.insertConversation(members).facts.id] = members
            }
            #expect(try audiences(transaction.facts) == expected)
        }
    }

    private func audiences(_ snapshot: Snapshot) throws -> [ConversationID: [UserID]] {
        var found: [ConversationID: [UserID]] = [:]
        try snapshot.audiences.readAll { id, members, silences in
            #expect(silences.isEmpty)
            #expect(found.updateValue(members, forKey: id) == nil)
        }
        return found
    }
}
