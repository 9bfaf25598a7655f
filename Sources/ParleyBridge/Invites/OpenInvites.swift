import ParleyProtocol
import ParleyRules
import ParleyStore

extension PreviewInvite: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        try context.charge(.invites)
        guard let invite = try snapshot.invites.invite(tokenDigest: token.digest),
            let conversation = try snapshot.conversations.conversation(invite.group.conversationID)
        else { throw Rejection.inviteInvalid }
        try InviteRule.open(try snapshot.facts(of: invite, conversation.facts, for: caller), now: context.now)
        guard let group = try snapshot.groups.object(invite.group), let maker = try snapshot.users.profile(invite.maker)
        else { throw Rejection.inviteInvalid }
        let preview = InvitePreview(
            name: group.name, memberCount: group.memberCount, invitedBy: invite.maker, inviterName: maker.displayName)
        return preview.write
    }
}

extension AcceptInvite: CommandHandler {
    enum Decision {
        /// The caller has used it before, and is a member.
        case repeated(GroupState)
        case join(ConversationState, StoredInvite)
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (caller, facts, settings) = (context.sender.user, try context.facts, context.settings)
        let invite = try facts.invites.invite(tokenDigest: token.digest)
        let conversation = try invite.flatMap { try context.conversation($0.group.conversationID) }
        // A repeat is not limited.
        if let invite, let conversation,
            InviteRule.isRepeat(
                conversation.facts, by: caller, isUsed: try facts.invites.isUsed(invite.key, by: caller))
        {
            return .repeated(invite.group)
        }
        try context.charge(.invites)
        guard let invite, let conversation else { throw Rejection.inviteInvalid }
        try InviteRule.accept(
            facts.facts(of: invite, conversation.facts, for: caller), by: caller,
            groups: (are: facts.groups.groups(of: caller).count, most: settings.groupsPerUser),
            maximumMembers: settings.groupMembers, now: context.now)
        try context.checkOpenConversations()
        try context.checkRoom(for: StorageCost.members(1), of: caller)
        return .join(conversation, invite)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let object: TrainingGroup
        switch decision {
        case .repeated(let group): object = try context.groups.object(of: group)
        case .join(let conversation, let invite): object = try join(conversation, by: invite, context)
        }
        context.accept { object.write(to: &$0) }
    }

    private func join(
        _ conversation: ConversationState, by invite: StoredInvite, _ context: ApplyContext
    ) throws(StoreError) -> TrainingGroup {
        let (caller, group) = (context.sender.user, invite.group)
        var conversation = conversation
        try context.transaction.invites.use(invite.key, by: caller, at: context.now)
        _ = try context.memberships.beginMemberships(of: [caller], in: &conversation, addedBy: nil, .memberJoined)
        for member in conversation.facts.users {
            context.feed.notify(member, .newMember(caller, in: group.id, conversation: conversation.facts.id))
        }
        let object = try context.groups.object(of: group)
        try context.publish(GroupJoined(object), to: caller)
        let change = GroupMemberChange(group: group.id, user: caller, by: invite.maker, role: .known(.member))
        try context.publish(GroupMemberEvent(.joined, change))
        try context.boards.add(caller, to: group.key)
        return object
    }
}

extension Snapshot {
    /// The facts about an invite and a caller who has its token.
    fileprivate func facts(
        of invite: StoredInvite, _ conversation: ConversationFacts, for caller: UserID
    ) throws -> InviteRule.Facts {
        let contact = try contacts.contact(caller, invite.maker)
        let removal = try invites.lastBeforeRemoval(of: caller, from: invite.group.key)
        return InviteRule.Facts(
            maker: invite.maker, expiresAt: invite.expiresAt, usesLeft: invite.usesLeft, isRevoked: invite.isRevoked,
            conversation: conversation, isFromBeforeRemoval: removal.map { invite.key.value <= $0.value } ?? false,
            callerBlocksMaker: contact?[caller].blocks ?? false,
            makerBlocksCaller: contact?[invite.maker].blocks ?? false)
    }
}
