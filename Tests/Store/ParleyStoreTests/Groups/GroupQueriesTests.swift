import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Groups and invites as they are stored", .onEveryStore)
final class GroupQueriesTests: PeopleSuite {
    /// A group of these, the first of whom made it.
    private func group(
        _ members: [UserID], zone: String = "UTC", _ transaction: WriteTransaction
    ) throws -> (group: GroupState, conversation: ConversationState) {
        let id = ConversationID.random()
        _ = try transaction.conversations.insert(
            NewConversation(
                id: id, type: .group, name: "Runners", creator: try #require(members.first),
                members: members.map { ($0, $0 == members.first ? .admin : .member) }, epoch: "epoch", digest: nil),
            at: at(0))
        let conversation = try transaction.facts.existing(id)
        let group = try transaction.groups.insert(
            .random(), of: conversation, timeZone: zone, digest: [UInt8](repeating: 1, count: 16))
        return (group, conversation)
    }

    @Test("a group is found by its id, its conversation and its members, and is an object of that conversation")
    func groups() throws {
        try store.write { transaction in
            let facts = transaction.facts
            let (first, conversation) = try group(["alice", "bob"], zone: "Europe/Berlin", transaction)
            let (second, _) = try group(["bob", "carol"], transaction)
            try transaction.insertConversation(["alice", "bob", "carol"])
            #expect(try facts.groups.group(first.id) == first && facts.groups.group(.random()) == nil)
            #expect(try facts.groups.group(of: conversation.key) == first)
            #expect(try facts.groups.groups(of: "bob") == [first, second])
            #expect(try facts.groups.groups(of: "dave").isEmpty)
            let all = try facts.groups.groups(of: ["alice", "bob", "carol", "dave"] as [UserID])
            #expect(all == ["alice": [first], "bob": [first, second], "carol": [second]])
            #expect(try facts.groups.digest(of: first.id) == [UInt8](repeating: 1, count: 16))
            #expect(try facts.groups.digest(of: .random()) == nil)
            let object = try #require(try facts.groups.object(first))
            #expect(object.id == first.id && object.conversation == conversation.facts.id && object.name == "Runners")
            #expect(object.timeZone == "Europe/Berlin" && object.members.map(\.user) == ["alice", "bob"])
        }
    }

    @Test("whoever goes is in it no more, and a group of nobody is not among those that are heard")
    func memberships() throws {
        try store.write { transaction in
            let (first, conversation) = try group(["alice", "bob"], transaction)
            let (second, _) = try group(["carol"], transaction)
            var heard: [GroupID: ConversationID] = [:]
            try transaction.facts.groups.readAll { heard[$0] = $1 }
            #expect(heard == [first.id: first.conversationID, second.id: second.conversationID])
            for user in ["alice", "bob"] as [UserID] {
                try transaction.members.delete(user, of: conversation.key)
                #expect(try transaction.facts.groups.groups(of: user).isEmpty)
            }
            heard = [:]
            try transaction.facts.groups.readAll { heard[$0] = $1 }
            #expect(Array(heard.keys) == [second.id])
            #expect(try transaction.facts.groups.group(first.id) == first)
        }
    }

    @Test("an invite is found by its id and its token's digest, and every use is one less")
    func invites() throws {
        let usedUp = try store.write { transaction in
            let (group, _) = try group(["alice"], transaction)
            let facts = transaction.facts
            let id = InviteID.random()
            try transaction.invites.insert(newInvite(id, to: group, by: "alice"))
            let invite = try #require(try facts.invites.invite(id))
            #expect(invite.group == group && invite.maker == "alice" && invite.usesLeft == 2 && !invite.isRevoked)
            #expect(try facts.invites.invite(tokenDigest: tokenDigest(of: id))?.key == invite.key)
            #expect(try facts.invites.invite(tokenDigest: tokenDigest(of: .random())) == nil)
            #expect(try !facts.invites.isUsed(invite.key, by: "bob"))
            for time in [1, 2] as [Int64] { try transaction.invites.use(invite.key, by: "bob", at: at(time)) }
            #expect(try facts.invites.isUsed(invite.key, by: "bob") && !facts.invites.isUsed(invite.key, by: "carol"))
            #expect(try facts.invites.invite(id)?.usesLeft == 0)
            let unlimited = InviteID.random()
            try transaction.invites.insert(newInvite(unlimited, to: group, by: "alice", uses: nil))
            let open = try #require(try facts.invites.invite(unlimited))
            try transaction.invites.use(open.key, by: "bob", at: at(1))
            #expect(try facts.invites.invite(unlimited)?.usesLeft == nil)
            return invite.key
        }
        // It never had more than two.
        #expect(throws: StoreError.self) { try store.write { try $0.invites.use(usedUp, by: "dave", at: at(3)) } }
    }

    @Test("those are listed that still open the group, the newest first, a maker's own or all")
    func listing() throws {
        try store.write { transaction in
            let (group, _) = try group(["alice", "bob"], transaction)
            let (other, _) = try self.group(["carol"], transaction)
            let ids = (0..<6).map { _ in InviteID.random() }
            for (index, id) in ids.enumerated() {
                try transaction.invites.insert(
                    newInvite(
                        id, to: index == 4 ? other : group, by: index % 2 == 0 ? "alice" : "bob", uses: 1,
                        expiresAt: index == 1 ? at(5) : at(1000)))
            }
            let facts = transaction.facts
            func listed(_ maker: UserID? = nil, before: InviteID? = nil, limit: Int = 9) throws -> [InviteID] {
                var found: [InviteID] = []
                let key = try before.flatMap { try facts.invites.invite($0)?.key }
                try facts.invites.read(of: group.key, by: maker, before: key, limit: limit, now: at(5)) {
                    found.append($0.id)
                    return true
                }
                return found
            }
            #expect(try listed() == [ids[5], ids[3], ids[2], ids[0]])
            #expect(try listed(before: ids[5], limit: 2) == [ids[3], ids[2]])
            #expect(try listed("bob") == [ids[5], ids[3]] && listed("dave").isEmpty)
            try transaction.invites.use(try #require(try facts.invites.invite(ids[2])).key, by: "dave", at: at(2))
            try transaction.invites.revoke(try #require(try facts.invites.invite(ids[0])).key)
            #expect(try listed() == [ids[5], ids[3]])
            try transaction.invites.revokeAll(of: "bob", to: other.key)
            #expect(try listed("bob") == [ids[5], ids[3]])
            try transaction.invites.revokeAll(of: "bob", to: group.key)
            #expect(try listed().isEmpty && facts.invites.invite(ids[4])?.isRevoked == false)
            try transaction.invites.revokeAll(to: other.key)
            #expect(try facts.invites.invite(ids[4])?.isRevoked == true)
        }
    }

    @Test("those that are kept and those that open are counted, and what was revoked long ago is removed, but the last")
    func bounds() throws {
        try store.write { transaction in
            let (group, _) = try group(["alice", "bob"], transaction)
            let ids = (0..<70).map { _ in InviteID.random() }
            for (index, id) in ids.enumerated() {
                try transaction.invites.insert(
                    newInvite(id, to: group, by: index < 3 ? "bob" : "alice", uses: 1, expiresAt: at(Int64(index))))
            }
            let facts = transaction.facts
            func count(_ maker: UserID, _ now: Timestamp?, atMost limit: Int = 99) throws -> Int {
                try facts.invites.count(of: maker, to: group.key, openAt: now, atMost: limit)
            }
            #expect(try count("bob", nil) == 3 && count("bob", at(0)) == 2 && count("alice", nil) == 67)
            #expect(try count("alice", nil, atMost: 5) == 5 && count("carol", nil) == 0)
            let last = try #require(try facts.invites.invite(ids[69]))
            try transaction.invites.use(last.key, by: "dave", at: at(0))
            #expect(try count("alice", at(0)) == 66)
            try transaction.invites.revokeEnded(of: "alice", to: group.key, now: at(10))
            #expect(try count("alice", nil) == 58 && count("bob", nil) == 3)
            try transaction.invites.revokeAll(to: group.key)
            try transaction.invites.removeRevoked(to: group.key, madeBefore: at(0))
            #expect(try store(transaction) == "70")
            for left in ["6", "1", "1"] {
                try transaction.invites.removeRevoked(to: group.key, madeBefore: at(1))
                #expect(try store(transaction) == left)
            }
            #expect(try facts.invites.invite(ids[69])?.key == last.key && facts.invites.isUsed(last.key, by: "dave"))
        }
    }

    private func store(_ transaction: WriteTransaction) throws -> String? {
        try transaction.facts.text("SELECT count(*) FROM invites")
    }

    @Test("a removal knows the invites before it, the last removal counts, and coming back does not undo it")
    func removals() throws {
        try store.write { transaction in
            let (group, conversation) = try group(["alice", "bob"], transaction)
            let facts = transaction.facts
            #expect(try facts.invites.lastBeforeRemoval(of: "bob", from: group.key) == nil)
            try transaction.groups.insertRemoval(of: "bob", from: group.key)
            #expect(try facts.invites.lastBeforeRemoval(of: "bob", from: group.key) == InviteKey(value: 0))
            let id = InviteID.random()
            try transaction.invites.insert(newInvite(id, to: group, by: "alice"))
            let key = try #require(try facts.invites.invite(id)).key
            try transaction.groups.insertRemoval(of: "bob", from: group.key)
            #expect(try facts.invites.lastBeforeRemoval(of: "bob", from: group.key) == key)
            try transaction.members.delete("bob", of: conversation.key)
            try transaction.members.insert(
                MemberFacts(user: "bob", role: .member, joinedAt: at(9)), into: conversation, addedBy: nil)
            #expect(try facts.invites.lastBeforeRemoval(of: "bob", from: group.key) == key)
            #expect(try facts.invites.lastBeforeRemoval(of: "carol", from: group.key) == nil)
        }
    }
}
