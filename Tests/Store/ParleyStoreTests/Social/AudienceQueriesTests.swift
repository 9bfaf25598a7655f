import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

/// What the broker is told when the gateway has connected.
@Suite("Audiences of conversations", .onEveryStore)
final class AudienceQueriesTests: PeopleSuite {
    private struct Audience: Equatable {
        let members: [UserID]
        let silences: [Silence]

        init(_ members: [UserID], _ silences: [Silence] = []) { (self.members, self.silences) = (members, silences) }
    }

    private func audiences(_ snapshot: Snapshot) throws -> [ConversationID: Audience] {
        var found: [ConversationID: Audience] = [:]
        try snapshot.audiences.readAll { id, members, silences in
            #expect(found.updateValue(Audience(members, silences), forKey: id) == nil)
        }
        return found
    }

    private func friendships(_ snapshot: Snapshot) throws -> [[UserID]] {
        var pairs: [[UserID]] = []
        try snapshot.audiences.readFriendships { pairs.append([$0, $1]) }
        return pairs.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func follow(_ follower: String, _ followed: String) throws {
        try store.execute("INSERT INTO follows VALUES ('\(follower)', '\(followed)', 0)")
    }

    private func block(_ blocker: String, _ blocked: String) throws {
        try store.execute("INSERT INTO blocks (blocker, blocked, created_at) VALUES ('\(blocker)', '\(blocked)', 0)")
    }

    @Test(
        "a block silences the direct conversation of the two, and no other",
        arguments: [("alice", "bob"), ("bob", "alice")])
    func blockSilencesDirect(blocker: String, blocked: String) throws {
        let (direct, other, group) = try store.write { transaction in
            (
                try transaction.insertConversation(["alice", "bob"]).facts.id,
                try transaction.insertConversation(["alice", "carol"]).facts.id,
                try transaction.insertConversation(["alice", "bob", "carol"]).facts.id
            )
        }
        try block(blocker, blocked)
        #expect(
            try store.read { try audiences($0) } == [
                direct: Audience(["alice", "bob"], [Silence(of: UserID(validated: blocker))]),
                other: Audience(["alice", "carol"]),
                group: Audience(["alice", "bob", "carol"]),
            ])
        try store.execute("DELETE FROM blocks")
        #expect(try store.read { try audiences($0) }[direct]?.silences == [])
    }

    @Test("what was written under a block stays unheard after it, and nothing later does")
    func writtenUnderABlock() throws {
        let id = try store.write { try $0.insertConversation(["alice", "bob"]).facts.id }
        try store.execute(#"UPDATE members SET own_last_seq = 7 WHERE "user" = 'bob'"#)
        #expect(
            try store.read { try audiences($0) } == [
                id: Audience(["alice", "bob"], [Silence(of: "alice", through: 7)])
            ])
    }

    @Test("whose own a conversation is not, is not in its audience, nor makes a block of theirs less of one")
    func notOnesOwn()
        throws
    {
        let id = try store.write { try $0.insertConversation(["alice", "bob"]).facts.id }
        try store.execute(#"UPDATE members SET is_open = 0, is_counted = 0 WHERE "user" = 'bob'"#)
        #expect(try store.read { try audiences($0) } == [id: Audience(["alice"])])
        try block("bob", "alice")
        #expect(try store.read { try audiences($0) } == [id: Audience(["alice"])])
    }

    @Test("friends follow each other; each pair is given once")
    func friendsOnce() throws {
        try follow("alice", "bob")
        #expect(try store.read { try friendships($0) } == [])
        try follow("bob", "alice")
        try follow("carol", "alice")
        try follow("bob", "carol")
        try follow("carol", "bob")
        #expect(try store.read { try friendships($0) } == [["alice", "bob"], ["bob", "carol"]])
    }
}
