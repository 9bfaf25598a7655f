import ParleyProtocol
import ParleyRules
import ParleyStore

// A change of a group is a change of its conversation, by the same rules and with the same consequences.

extension DecisionContext {
    /// A group and its conversation, if the sender is in it.
    func visibleGroup(_ id: GroupID) throws -> (group: GroupState, conversation: ConversationState) {
        try ofGroup(id) { group in (group, try visibleConversation(group.conversationID, to: sender.user)) }
    }

    /// The policy for a conversation: of a training group or of a chat.
    func groupPolicy(of conversation: ConversationState) throws -> GroupPolicy {
        switch conversation.facts.type {
        case .direct: .chat
        case .group: try facts.groups.group(of: conversation.key) == nil ? .chat : .training
        }
    }

    /// Decides about the conversation of a group. To a user who may not see it there is no such group.
    fileprivate func ofGroup<Result>(_ id: GroupID, _ body: (GroupState) throws -> Result) throws -> Result {
        guard let group = try facts.groups.group(id) else { throw Rejection.groupNotFound }
        do {
            return try body(group)
        } catch let rejection as Rejection where rejection == .conversationNotFound {
            throw Rejection.groupNotFound
        }
    }
}

struct GroupDecision<Decision> {
    let group: GroupState
    let decision: Decision
}

extension UpdateGroup: CommandHandler {
    /// `nil` if it has that name already.
    typealias Decision = GroupDecision<ConversationState?>

    func decide(in context: DecisionContext) throws -> Decision {
        let (group, conversation) = try context.visibleGroup(group)
        _ = try GroupPolicy.training.rename(.set(name), conversation.facts, by: context.sender.user)
        let current = try context.facts.conversations.object(conversation.key, seenBy: nil)?.name
        guard current != name else { return GroupDecision(group: group, decision: nil) }
        try context.checkRoom(for: StorageCost.row, of: context.sender.user)
        return GroupDecision(group: group, decision: conversation)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        if var conversation = decision.decision { try context.rename(&conversation, to: name) }
        let object = try context.groups.object(of: decision.group)
        context.accept { object.write(to: &$0) }
    }
}

extension DeleteGroup: CommandHandler {
    enum Decision {
        /// It has ended, and the sender was a member.
        case repeated(TrainingGroup)
        case end(GroupState, ConversationState)
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let caller = context.sender.user
        return try context.ofGroup(group) { group in
            guard let conversation = try context.conversation(group.conversationID) else {
                throw Rejection.groupNotFound
            }
            if conversation.facts.members.isEmpty,
                let reply = try context.facts.members.leaveReply(of: caller, from: conversation.key)
            {
                return .repeated(try TrainingGroup(group, reply: reply))
            }
            try GroupPolicy.delete(conversation.facts, by: caller)
            return .end(group, conversation)
        }
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let object: TrainingGroup
        switch decision {
        case .repeated(let first): object = first
        case .end(let group, let conversation):
            try context.memberships.endMemberships(in: conversation)
            for user in conversation.facts.users { try context.publish(GroupDeleted(group.id), to: user) }
            object = try context.groups.object(of: group)
        }
        context.accept { object.write(to: &$0) }
    }
}

/// Carries out a change of a membership that names the group.
protocol GroupMembershipHandler: CommandHandler where Decision == GroupDecision<Change> {
    associatedtype Change: MembershipDecision

    var group: GroupID { get }

    func decide(about conversation: ConversationID, in context: DecisionContext) throws -> Change
}

extension GroupMembershipHandler {
    func decide(in context: DecisionContext) throws -> Decision {
        try context.ofGroup(group) { group in
            Decision(group: group, decision: try decide(about: group.conversationID, in: context))
        }
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let conversation = try decision.decision.carryOut(context.memberships)
        let object = try TrainingGroup(decision.group, conversation)
        context.accept { object.write(to: &$0) }
    }
}

extension LeaveGroup: GroupMembershipHandler {
    func decide(about conversation: ConversationID, in context: DecisionContext) throws -> LeaveDecision {
        try LeaveDecision(conversation, in: context)
    }
}

extension RemoveGroupMember: GroupMembershipHandler {
    func decide(about conversation: ConversationID, in context: DecisionContext) throws -> RemovalDecision {
        try RemovalDecision(of: user, from: conversation, in: context)
    }
}

extension SetGroupRole: GroupMembershipHandler {
    func decide(about conversation: ConversationID, in context: DecisionContext) throws -> RoleDecision {
        try RoleDecision(role, of: user, in: conversation, context)
    }
}

extension TrainingGroup {
    /// The group whose conversation this is.
    fileprivate init(_ group: GroupState, _ conversation: ReadyMade<Conversation>) throws(StoreError) {
        switch conversation {
        case .value(let object): self.init(group.id, timeZone: group.timeZone, of: object)
        case .json(let json): try self.init(group, reply: json)
        }
    }

    /// - Parameter reply: the conversation at the time of the departure, as JSON.
    fileprivate init(_ group: GroupState, reply: [UInt8]) throws(StoreError) {
        do throws(ReadingError) {
            self.init(group.id, timeZone: group.timeZone, of: try Conversation(json: reply))
        } catch {
            throw .inconsistent(.missingConversation)
        }
    }
}
