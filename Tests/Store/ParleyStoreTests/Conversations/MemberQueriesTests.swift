import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored members", .onEveryStore)
final class MemberQueriesTests: PeopleSuite {
    private let alice = device("alice", "phone")
    private let bob = device("bob", "phone")

    @Test("whoever joins starts where the log is, and sees what they are let see")
    func joiningStartsAtTheLog() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            let before = try transaction.append(to: id, from: alice)
            let state = try transaction.facts.existing(id)
            let carol = MemberFacts(user: "carol", role: .member, joinedAt: at(9), joinedSeq: 1, visibleFrom: 1)
            try transaction.members.insert(carol, into: state, addedBy: "alice")
            let after = try transaction.append(to: id, from: alice)
            let facts = transaction.facts
            let joined = try facts.existing(id)
            #expect(joined.facts.member("carol") == carol)
            #expect(try facts.records.location(of: before.id)?.seq(in: joined.facts, visibleTo: "carol") == nil)
            #expect(try facts.records.location(of: before.id)?.seq(in: joined.facts, visibleTo: "bob") == 1)
            #expect(try facts.records.location(of: after.id)?.seq(in: joined.facts, visibleTo: "carol") == 2)
            #expect(try facts.records.location(of: after.id)?.seq(in: joined.facts, visibleTo: "dave") == nil)
            #expect(try facts.records.location(of: .random())?.seq(in: joined.facts, visibleTo: "bob") == nil)
            #expect(try facts.receipts.state(of: device("carol", "phone"), in: joined.facts.id)?.user.readSeq == 1)
            #expect(try facts.unread.count(of: "carol", in: joined.key) == 1)
            #expect(try facts.unread.count(of: "bob", in: joined.key) == 2)
            #expect(try facts.unread.count(of: "alice", in: joined.key) == 0)
            #expect(try facts.unread.count(of: "dave", in: joined.key) == 0)
        }
    }

    @Test("what is gone or is no message of a person is not unread")
    func goneIsNotUnread() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            for _ in 0..<5 { try transaction.append(to: id, from: alice) }
            let key = try transaction.facts.existing(id).key
            #expect(try transaction.facts.unread.count(of: "bob", in: key) == 5)
            try transaction.database.run("UPDATE records SET content = NULL WHERE seq = 1")
            try transaction.database.run("UPDATE records SET kind = 1 WHERE seq = 2")
            try transaction.database.run("UPDATE records SET type = 7 WHERE seq = 3")
            #expect(try transaction.facts.unread.count(of: "bob", in: key) == 2)
        }
    }

    @Test("the last message is one that the user may see")
    func lastVisibleMessage() throws {
        try store.write { transaction in
            let id = try transaction.insertConversation(["alice", "bob"]).facts.id
            let last = try transaction.append(to: id, from: alice)
            let state = try transaction.facts.existing(id)
            try transaction.members.insert(
                MemberFacts(user: "carol", role: .member, joinedAt: at(9), joinedSeq: 1, visibleFrom: 1), into: state,
                addedBy: "alice")
            let facts = transaction.facts
            #expect(try facts.listings.listing(state.key, for: "bob", now: at(0))?.listEntry?.lastMessage == last)
            let seen = try #require(try facts.listings.listing(state.key, for: "carol", now: at(0))?.listEntry)
            #expect(seen.lastMessage == nil && seen.unread == .counted(0) && seen.lastReadSeq == 1)
            #expect(try facts.listings.listing(state.key, for: "dave", now: at(0)) == nil)
        }
    }

    @Test("a departure is remembered until they are back")
    func departureIsRemembered() throws {
        try store.write { transaction in
            let state = try transaction.insertConversation(["alice", "bob", "carol"])
            #expect(try transaction.facts.members.leaveReply(of: "carol", from: state.key) == nil)
            try transaction.members.delete("carol", of: state.key)
            try transaction.members.insertDeparture(of: "carol", from: state.key, reply: [1, 2], at: at(3))
            #expect(try transaction.facts.members.leaveReply(of: "carol", from: state.key) == [1, 2])
            #expect(try transaction.facts.members.leaveReply(of: "bob", from: state.key) == nil)
            #expect(try transaction.facts.existing(state.facts.id).facts.users == ["alice", "bob"])
            try transaction.members.insert(
                MemberFacts(user: "carol", role: .member, joinedAt: at(4)), into: state, addedBy: "alice")
            #expect(try transaction.facts.members.leaveReply(of: "carol", from: state.key) == nil)
        }
    }

    @Test("who has departed is known until they are back, and counts in no group meanwhile")
    func departedAreKnown() throws {
        try store.write { transaction in
            let facts = transaction.facts
            let state = try transaction.insertConversation(["alice", "bob", "carol"])
            #expect(try !facts.members.hasLeft("carol", from: state.key))
            #expect(try facts.members.groupsByOthers(of: "carol", atMost: 500) == 1)
            try transaction.members.delete("carol", of: state.key)
            try transaction.members.insertDeparture(of: "carol", from: state.key, reply: [1], at: at(3))
            #expect(try facts.members.hasLeft("carol", from: state.key))
            #expect(try !facts.members.hasLeft("bob", from: state.key))
            #expect(try facts.members.groupsByOthers(of: "carol", atMost: 500) == 0)
            // They come back by themselves: into this group nobody has put them.
            try transaction.members.insert(
                MemberFacts(user: "carol", role: .member, joinedAt: at(4)), into: state, addedBy: nil)
            #expect(try !facts.members.hasLeft("carol", from: state.key))
            #expect(try facts.members.groupsByOthers(of: "carol", atMost: 500) == 0)
        }
    }

    @Test("groups into which others have put somebody are counted, up to a limit, and no others")
    func addedGroupsAreCounted() throws {
        try store.write { transaction in
            let facts = transaction.facts
            for _ in 0..<7 { try transaction.insertConversation(["alice", "bob", "carol"]) }
            try transaction.insertConversation(["bob", "carol"])
            let state = try transaction.insertConversation(["alice", "bob", "carol"])
            try transaction.members.delete("bob", of: state.key)
            try transaction.members.insert(
                MemberFacts(user: "bob", role: .member, joinedAt: at(4)), into: state, addedBy: "alice")
            #expect(try facts.members.groupsByOthers(of: "alice", atMost: 500) == 0)
            #expect(try facts.members.groupsByOthers(of: "bob", atMost: 500) == 8)
            #expect(try facts.members.groupsByOthers(of: "bob", atMost: 5) == 5)
        }
    }

    @Test("open conversations that somebody has by their own acts are counted, up to a limit, and no others")
    func ownConversationsAreCounted() throws {
        try store.write { transaction in
            let members = transaction.facts.members
            for _ in 0..<7 { try transaction.insertConversation(["alice", "bob", "carol"]) }
            let direct = try transaction.insertConversation(["alice", "bob"])
            #expect(try members.countedConversations(of: "alice", atMost: 500) == 8)
            #expect(try members.countedConversations(of: "alice", atMost: 5) == 5)
            #expect(try members.countedConversations(of: "bob", atMost: 500) == 0)
            try transaction.members.setOpen(false, for: "bob", in: direct.key, isCounted: false)
            try transaction.members.setOpen(true, for: "bob", in: direct.key, isCounted: true)
            #expect(try members.countedConversations(of: "bob", atMost: 500) == 1)
            // What is closed counts for nobody, whoever has closed it.
            for user in ["alice", "bob"] as [UserID] {
                try transaction.members.setOpen(false, for: user, in: direct.key, isCounted: true)
            }
            let group = try transaction.insertConversation(["alice", "bob"])
            try transaction.members.delete("bob", of: group.key)
            try transaction.members.insert(
                MemberFacts(user: "bob", role: .member, joinedAt: at(4)), into: group, addedBy: nil)
            try transaction.members.insert(
                MemberFacts(user: "carol", role: .member, joinedAt: at(4)), into: group, addedBy: "alice")
            #expect(try members.countedConversations(of: "bob", atMost: 500) == 1)
            #expect(try members.countedConversations(of: "carol", atMost: 500) == 0)
            try transaction.members.delete("alice", of: group.key)
            #expect(try members.countedConversations(of: "alice", atMost: 500) == 7)
        }
    }

    @Test(
        "both are counted in an index of their own, however many conversations somebody has", .onSQLite(.plans),
        arguments: [
            "members_added WHERE user = 'bob' AND added_by IS NOT NULL",
            "members_counted WHERE user = 'bob' AND is_counted = 1",
        ])
    func countingHasItsIndex(_ index: String) throws {
        // Where it does not fit, SQLite refuses to use it.
        #expect(try store.text("SELECT count(*) FROM members INDEXED BY \(index)") == "0")
    }

    @Test("a direct conversation made by both is to each as old as their own making of it")
    func ownAgeForEach() throws {
        try store.write { transaction in
            var state = try transaction.insertConversation(["alice", "bob"])
            try transaction.members.setOpen(false, for: "bob", in: state.key, isCounted: false)
            state.facts.setOpen(false, for: "bob")
            #expect(state.facts.isUnknown(to: "bob") && !state.facts.isUnknown(to: "alice"))
            let first = try #require(try transaction.facts.conversations.object(state.key, seenBy: "alice"))
            state.facts.make(by: "bob", at: at(70))
            try transaction.conversations.setMade(by: "bob", at: at(70), in: state)
            #expect(try transaction.facts.existing(state.facts.id).facts == state.facts)
            let second = try #require(try transaction.facts.conversations.object(state.key, seenBy: "bob"))
            #expect(second.createdBy == "bob" && second.createdAt == at(70) && second.updatedAt == at(70))
            #expect(second.members.map(\.joinedAt) == [at(70), at(70)])
            #expect(try transaction.facts.conversations.object(state.key, seenBy: "alice") == first)
            #expect(first.createdBy == "alice" && first.createdAt == at(0) && first.updatedAt == at(0))
        }
    }

    @Test("what a member wants is their own, and a muting ends")
    func preferencesAreTheirOwn() throws {
        try store.write { transaction in
            var state = try transaction.insertConversation(["alice", "bob"])
            let wanted = ConversationPreferences(muting: .until(at(50)), isArchived: true, isMarkedUnread: true)
            try transaction.members.setPreferences(wanted, of: "alice", in: &state)
            let facts = transaction.facts
            #expect(try facts.members.preferences(of: "alice", in: state.key, now: at(49)) == wanted)
            #expect(
                try facts.members.preferences(of: "alice", in: state.key, now: at(50)) == wanted.effective(at: at(50)))
            #expect(try facts.members.preferences(of: "bob", in: state.key, now: at(0)) == ConversationPreferences())
            #expect(try facts.members.preferences(of: "carol", in: state.key, now: at(0)) == nil)
            try transaction.members.setPreferences(ConversationPreferences(muting: .forever), of: "alice", in: &state)
            #expect(try facts.members.preferences(of: "alice", in: state.key, now: .latest)?.muting == .forever)
        }
    }

    @Test("name and roles are what was set")
    func nameAndRoles() throws {
        try store.write { transaction in
            let state = try transaction.insertConversation(["alice", "bob", "carol"])
            try transaction.members.setRole(.admin, of: "bob", in: state.key)
            try transaction.conversations.rename(state.key, to: "Runners")
            let facts = transaction.facts
            #expect(try facts.existing(state.facts.id).facts.members.map(\.role) == [.member, .admin, .member])
            #expect(try facts.conversations.object(state.key, seenBy: "alice")?.name == "Runners")
            try transaction.conversations.rename(state.key, to: nil)
            #expect(try facts.conversations.object(state.key, seenBy: "alice")?.name == nil)
        }
    }
}
