import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension CreateInvite: OnceHandler {
    struct New {
        let invite: NewInvite
        /// As its maker gets it.
        let object: Invite
        /// Whether the maker's ended invites are revoked to make room.
        let revokesEnded: Bool
    }

    static let hasSecretReply = true

    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> Invite)? {
        guard let id, let first = try context.facts.invites.invite(id) else { return nil }
        return (first.digest, { try withToken(first.objectAtFirst, seed: first.seed, context) })
    }

    func decideNew(in context: DecisionContext) throws -> New {
        let maker = context.sender.user
        let group = try context.visibleGroup(group).group
        let (facts, now, most) = (try context.facts.invites, context.now, InviteRule.mostOpen)
        let revokesEnded = try InviteRule.create(
            kept: facts.count(of: maker, to: group.key, openAt: nil, atMost: most),
            open: { try facts.count(of: maker, to: group.key, openAt: now, atMost: most) })
        try context.checkRoom(for: StorageCost.row, of: maker)
        try context.charge(.invites)
        let seed = try RandomBytes.make(count: InviteToken.length)
        let new = NewInvite(
            id: id ?? .random(), group: group, maker: maker, seed: seed,
            tokenDigest: try context.tokens.inviteToken(seed: seed).digest, createdAt: context.now,
            expiresAt: context.now.advanced(by: .seconds(expiresIn)), uses: uses,
            digest: try context.digest(of: self))
        return New(
            invite: new, object: try withToken(new.object, seed: seed, context), revokesEnded: revokesEnded)
    }

    /// How long revoked invites are kept at least: until then a repeated request finds them.
    private static let kept = Duration.days(1)

    /// The invite with its token and a link.
    private func withToken(_ invite: Invite, seed: [UInt8], _ context: DecisionContext) throws -> Invite {
        invite.with(try context.tokens.inviteToken(seed: seed), urlPrefix: context.settings.inviteURLPrefix)
    }

    func make(_ new: New, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> Invite {
        let invite = new.invite
        try context.charge(StorageCost.row, to: invite.maker)
        let invites = try context.transaction.invites
        if new.revokesEnded { try invites.revokeEnded(of: invite.maker, to: invite.group.key, now: context.now) }
        try invites.removeRevoked(
            to: invite.group.key, madeBefore: context.now.advanced(by: .zero - CreateInvite.kept))
        try invites.insert(invite)
        return new.object
    }
}

extension RevokeInvite: CommandHandler {
    func decide(in context: DecisionContext) throws -> StoredInvite {
        guard let invite = try context.facts.invites.invite(id),
            let conversation = try context.conversation(invite.group.conversationID)
        else { throw Rejection.inviteNotFound }
        try InviteRule.revoke(madeBy: invite.maker, conversation.facts, by: context.sender.user)
        return invite
    }

    func apply(_ invite: StoredInvite, in context: ApplyContext) throws(StoreError) {
        if !invite.isRevoked { try context.transaction.invites.revoke(invite.key) }
        context.accept { invite.object.write(to: &$0) }
    }
}

extension ListInvites: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        let (group, object) = try snapshot.visibleGroup(group, to: caller)
        let isAdmin = object.members.contains { $0.user == caller && $0.role == .known(.admin) }
        return try context.page(page, of: Self.operation) { (position: InviteKey?, page) in
            try snapshot.invites.read(
                of: group.key, by: isAdmin ? nil : caller, before: position, limit: page.limit + 1, now: context.now
            ) { invite in page.append(invite.key, invite.object.write) }
        }.write
    }
}
