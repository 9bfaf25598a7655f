import ParleyProtocol
import ParleyRules
import ParleyStore

extension AddMembers: CommandHandler {
    struct Decision {
        let conversation: ConversationState
        /// Those who are not in it yet.
        let added: [UserID]
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (caller, settings) = (context.sender.user, context.settings)
        let conversation = try context.visibleConversation(conversation, to: caller)
        let addition = try context.groupPolicy(of: conversation).add(
            users, to: conversation.facts, by: caller, maximumMembers: settings.groupMembers,
            mostGroupsByOthers: settings.groupsByOthers
        ) { user in try context.candidate(user, into: conversation.key) }
        try context.checkRoom(for: StorageCost.members(addition.users.count), of: caller)
        try context.chargeStrangers(addition.strangers)
        return Decision(conversation: conversation, added: addition.users)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        var conversation = decision.conversation
        let object = try context.memberships.beginMemberships(
            of: decision.added, in: &conversation, addedBy: context.sender.user, .memberAdded)
        context.accept { object.write(to: &$0) }
    }
}

/// What is decided about a membership, for a request that names the conversation or its group.
protocol MembershipDecision {
    /// - Returns: the conversation afterwards; as JSON if the caller has left before.
    func carryOut(_ memberships: Memberships) throws(StoreError) -> ReadyMade<Conversation>
}

/// Carries out a change of a membership that names the conversation.
protocol MembershipHandler: CommandHandler where Decision: MembershipDecision {}

extension MembershipHandler {
    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let conversation = try decision.carryOut(context.memberships)
        context.accept { writer in
            switch conversation {
            case .value(let object): object.write(to: &writer)
            case .json(let json): writer.raw(json)
            }
        }
    }
}

extension RemoveMember: MembershipHandler {
    func decide(in context: DecisionContext) throws -> RemovalDecision {
        try RemovalDecision(of: user, from: conversation, in: context)
    }
}

/// The removal of a user from a conversation.
enum RemovalDecision: MembershipDecision {
    /// The caller removes themselves.
    case leave(LeaveDecision)
    case remove(UserID, ConversationState)
    /// They are no member.
    case nothing(ConversationState)

    init(of user: UserID, from id: ConversationID, in context: DecisionContext) throws {
        let caller = context.sender.user
        guard user != caller else {
            self = .leave(try LeaveDecision(id, in: context))
            return
        }
        let conversation = try context.visibleConversation(id, to: caller)
        if try GroupPolicy.remove(user, from: conversation.facts, by: caller) {
            self = .remove(user, conversation)
            return
        }
        // Whether the user exists is not read: the answer would disclose it.
        self = .nothing(conversation)
    }

    func carryOut(_ memberships: Memberships) throws(StoreError) -> ReadyMade<Conversation> {
        switch self {
        case .leave(let leaving): try leaving.carryOut(memberships)
        case .remove(let user, let conversation): .value(try memberships.remove(user, from: conversation))
        case .nothing(let conversation): .value(try memberships.context.object(of: conversation))
        }
    }
}

extension LeaveConversation: MembershipHandler {
    func decide(in context: DecisionContext) throws -> LeaveDecision {
        try LeaveDecision(conversation, in: context)
    }
}

/// The departure of the caller from a conversation.
enum LeaveDecision: MembershipDecision {
    /// The caller has left before: they get the first reply, and nothing of what has happened since.
    case repeated(reply: [UInt8])
    case leave(ConversationState, GroupPolicy.Departure)

    init(_ id: ConversationID, in context: DecisionContext) throws {
        let caller = context.sender.user
        if let conversation = try context.conversation(id), conversation.facts.member(caller) == nil,
            let reply = try context.facts.members.leaveReply(of: caller, from: conversation.key)
        {
            self = .repeated(reply: reply)
            return
        }
        let conversation = try context.visibleConversation(id, to: caller)
        self = .leave(conversation, try GroupPolicy.leave(conversation.facts, by: caller))
    }

    func carryOut(_ memberships: Memberships) throws(StoreError) -> ReadyMade<Conversation> {
        switch self {
        case .repeated(let reply): .json(reply)
        case .leave(let conversation, let departure): .value(try memberships.leave(conversation, departure))
        }
    }
}

extension SetRole: MembershipHandler {
    func decide(in context: DecisionContext) throws -> RoleDecision {
        try RoleDecision(role, of: user, in: conversation, context)
    }
}

/// A change of a member's role.
struct RoleDecision: MembershipDecision {
    let role: MemberRole
    let user: UserID
    let conversation: ConversationState
    let isChange: Bool

    init(_ role: MemberRole, of user: UserID, in id: ConversationID, _ context: DecisionContext) throws {
        let caller = context.sender.user
        (self.role, self.user) = (role, user)
        conversation = try context.visibleConversation(id, to: caller)
        isChange = try GroupPolicy.setRole(role, of: user, in: conversation.facts, by: caller)
        if isChange { try context.checkRoom(for: StorageCost.row, of: caller) }
    }

    func carryOut(_ memberships: Memberships) throws(StoreError) -> ReadyMade<Conversation> {
        .value(try memberships.setRole(self))
    }
}
