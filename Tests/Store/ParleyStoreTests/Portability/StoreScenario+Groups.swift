import ParleyProtocol
import TestNames
import Testing

@testable import ParleyStore

extension StoreScenario {
    /// Groups that train together, and the invites by which people come.
    func groups() throws {
        try store.write { transaction in
            let conversation = try transaction.insertConversation(["alice", "bob", "carol"])
            let id = GroupID.random()
            let group = try transaction.groups.insert(
                id, of: conversation, timeZone: "UTC", digest: [UInt8](repeating: 1, count: 16))
            let facts = transaction.facts
            _ = try facts.groups.group(id)
            _ = try facts.groups.group(of: conversation.key)
            _ = try facts.groups.groups(of: "alice")
            _ = try facts.groups.groups(of: ["alice", "bob", "carol", "dave", "erin"] as [UserID])
            _ = try facts.groups.digest(of: id)
            _ = try facts.groups.object(group)
            try facts.groups.readAll { _, _ in }

            let invite = InviteID.random()
            try transaction.invites.insert(newInvite(invite, to: group, by: "alice"))
            let stored = try #require(try facts.invites.invite(invite))
            _ = try facts.invites.invite(tokenDigest: tokenDigest(of: invite))
            try transaction.invites.use(stored.key, by: "dave", at: at(2))
            _ = try facts.invites.isUsed(stored.key, by: "dave")
            try facts.invites.read(of: group.key, by: nil, before: nil, limit: 9, now: at(1)) { _ in true }
            try transaction.groups.insertRemoval(of: "dave", from: group.key)
            _ = try facts.invites.lastBeforeRemoval(of: "dave", from: group.key)
            _ = try facts.invites.count(of: "alice", to: group.key, openAt: at(1), atMost: 9)
            try transaction.invites.revokeEnded(of: "alice", to: group.key, now: at(1))
            try transaction.invites.removeRevoked(to: group.key, madeBefore: at(1))
            try transaction.invites.revoke(stored.key)
            try transaction.invites.revokeAll(of: "alice", to: group.key)
            try transaction.invites.revokeAll(to: group.key)
        }
    }
}

/// An invite that ends in an hour and may be used twice.
func newInvite(
    _ id: InviteID, to group: GroupState, by maker: UserID, uses: Int? = 2, expiresAt: Timestamp = at(.seconds(3600))
) -> NewInvite {
    NewInvite(
        id: id, group: group, maker: maker, seed: id.value.bytes, tokenDigest: tokenDigest(of: id), createdAt: at(0),
        expiresAt: expiresAt, uses: uses, digest: id.value.bytes)
}

/// 32 bytes that stand for the digest of an invite's token.
func tokenDigest(of invite: InviteID) -> [UInt8] { invite.value.bytes + invite.value.bytes }
