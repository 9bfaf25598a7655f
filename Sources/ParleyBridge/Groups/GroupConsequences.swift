import ParleyProtocol
import ParleyRules
import ParleyStore

/// How a membership has ended.
enum MemberDeparture {
    case left, removed
}

extension ApplyContext {
    var groups: GroupConsequences { GroupConsequences(context: self) }
}

/// The consequences of changes of a conversation for the group that it belongs to, if it belongs to one.
struct GroupConsequences {
    let context: ApplyContext

    /// The group whose conversation this is.
    private func group(of conversation: ConversationState) throws(StoreError) -> GroupState? {
        switch conversation.facts.type {
        case .direct: nil
        case .group: try context.read { try $0.groups.group(of: conversation.key) }
        }
    }

    /// The group as an object.
    func object(of group: GroupState) throws(StoreError) -> TrainingGroup {
        guard let object = try context.read({ try $0.groups.object(group) }) else {
            throw .inconsistent(.missingConversation)
        }
        return object
    }

    func announceRole(
        _ role: MemberRole, of user: UserID, in conversation: ConversationState
    ) throws(StoreError) {
        guard let group = try group(of: conversation) else { return }
        let change = GroupMemberChange(group: group.id, user: user, by: context.sender.user, role: .known(role))
        try context.publish(GroupMemberEvent(.roleChanged, change))
    }

    /// A member has gone, and others are left: the member's invites end, and a removed member cannot come back by an
    /// invite that exists.
    func announceDeparture(
        of user: UserID, from conversation: ConversationState, _ departure: MemberDeparture
    ) throws(StoreError) {
        guard let group = try group(of: conversation) else { return }
        try context.transaction.invites.revokeAll(of: user, to: group.key)
        try context.boards.remove(user, from: group.key)
        let change = GroupMemberChange(group: group.id, user: user, by: context.sender.user)
        switch departure {
        case .left: try context.publish(GroupMemberEvent(.left, change))
        case .removed:
            try context.transaction.groups.insertRemoval(of: user, from: group.key)
            try context.publish(GroupMemberEvent(.removed, change))
        }
    }

    /// - Parameter object: the conversation.
    func announceName(of object: Conversation, _ conversation: ConversationState) throws(StoreError) {
        guard let group = try group(of: conversation) else { return }
        try context.publish(GroupUpdated(TrainingGroup(group.id, timeZone: group.timeZone, of: object)))
    }

    /// The conversation has no members any more.
    func endGroup(of conversation: ConversationState) throws(StoreError) {
        guard let group = try group(of: conversation) else { return }
        try context.transaction.invites.revokeAll(to: group.key)
        try context.boards.end(group.key)
        context.changeAudience(.groupEnded(group.id))
        for type in LeaderboardType.allCases { try context.clear(.group(group.id, type.channel)) }
    }
}
