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
        let addition = try GroupRule.add(
            users, to: conversation.facts, by: caller, maximumMembers: settings.groupMembers,
            mostGroupsByOthers: settings.groupsByOthers
        ) { user in try context.candidate(user, into: conversation.key) }
        try context.checkRoom(for: StorageCost.members(addition.users.count), of: caller)
        try context.chargeStrangers(addition.strangers, putIntoGroupBy: caller)
        return Decision(conversation: conversation, added: addition.users)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let (caller, added) = (context.sender.user, decision.added)
        var conversation = decision.conversation
        // The records count by themselves.
        try context.charge(StorageCost.row * added.count, to: caller)
        let lastSeq = conversation.facts.lastSeq
        for user in added {
            let member = MemberFacts(
                user: user, role: .member, joinedAt: conversation.facts.nextCreation(context.now), joinedSeq: lastSeq,
                visibleFrom: context.settings.newMembersSeeHistory ? 0 : lastSeq)
            try context.transaction.members.insert(member, into: conversation, addedBy: caller)
            conversation.facts.join(member)
        }
        // All become members before the first record: every new member gets the records of all of them.
        for user in added { try context.append(.memberAdded, about: user, to: &conversation) }
        let object = try context.object(of: conversation)
        if !added.isEmpty {
            context.changeAudience(.conversation(object.id, members: conversation.facts.users))
            try context.publish(.info(object))
        }
        for user in added {
            try context.publish(.user(user, .events)) { object.writeCreated(to: &$0) }
        }
        context.accept { object.write(to: &$0) }
    }
}

extension RemoveMember: CommandHandler {
    enum Decision {
        /// Who removes themselves leaves.
        case leave(LeaveDecision)
        case remove(ConversationState)
        /// They are no member.
        case nothing(ConversationState)
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let caller = context.sender.user
        guard user != caller else { return .leave(try LeaveDecision(conversation, in: context)) }
        let conversation = try context.visibleConversation(conversation, to: caller)
        if try GroupRule.remove(user, from: conversation.facts, by: caller) { return .remove(conversation) }
        guard try context.facts.users.hasMember(user) else { throw Rejection.userNotFound }
        return .nothing(conversation)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let object: Conversation
        switch decision {
        case .leave(let leaving): return try context.leave(leaving)
        case .nothing(let conversation): object = try context.object(of: conversation)
        case .remove(var conversation):
            conversation.facts.remove(user)
            try context.append(.memberRemoved, about: user, to: &conversation)
            object = try context.endMembership(of: user, in: conversation)
        }
        context.accept { object.write(to: &$0) }
    }
}

extension LeaveConversation: CommandHandler {
    func decide(in context: DecisionContext) throws -> LeaveDecision {
        try LeaveDecision(conversation, in: context)
    }

    func apply(_ decision: LeaveDecision, in context: ApplyContext) throws(StoreError) { try context.leave(decision) }
}

enum LeaveDecision {
    /// Done before: they get the reply that they got then, and nothing of what has happened since.
    case repeated(reply: [UInt8])
    case leave(ConversationState, GroupRule.Departure)

    fileprivate init(_ id: ConversationID, in context: DecisionContext) throws {
        let caller = context.sender.user
        if let conversation = try context.conversation(id), conversation.facts.member(caller) == nil,
            let reply = try context.facts.members.leaveReply(of: caller, from: conversation.key)
        {
            self = .repeated(reply: reply)
            return
        }
        let conversation = try context.visibleConversation(id, to: caller)
        self = .leave(conversation, try GroupRule.leave(conversation.facts, by: caller))
    }
}

extension SetRole: CommandHandler {
    struct Decision {
        let conversation: ConversationState
        let isNews: Bool
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let caller = context.sender.user
        let conversation = try context.visibleConversation(conversation, to: caller)
        let isNews = try GroupRule.setRole(role, of: user, in: conversation.facts, by: caller)
        if isNews { try context.checkRoom(for: StorageCost.row, of: caller) }
        return Decision(conversation: conversation, isNews: isNews)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        var conversation = decision.conversation
        if decision.isNews { try context.setRole(role, of: user, in: &conversation) }
        let object = try context.object(of: conversation)
        if decision.isNews { try context.publish(.info(object)) }
        context.accept { object.write(to: &$0) }
    }
}

// MARK: What follows

extension ApplyContext {
    fileprivate func leave(_ decision: LeaveDecision) throws(StoreError) {
        let object: Conversation
        switch decision {
        case .repeated(let reply): return accept { $0.raw(reply) }
        case .leave(var conversation, let departure):
            conversation.facts.remove(sender.user)
            try append(.memberLeft, about: sender.user, to: &conversation)
            switch departure {
            case .others, .nobodyLeft: break
            case .succeeded(let successor): try setRole(.admin, of: successor, in: &conversation)
            }
            object = try endMembership(of: sender.user, in: conversation)
        }
        accept { object.write(to: &$0) }
    }

    fileprivate func setRole(
        _ role: MemberRole, of user: UserID, in conversation: inout ConversationState
    ) throws(StoreError) {
        try transaction.members.setRole(role, of: user, in: conversation.key)
        conversation.facts.setRole(role, of: user)
        try append(.roleChanged, about: user, to: &conversation)
    }

    /// Ends the membership of somebody who was removed from the members: they receive `conversation.removed`, and nothing
    /// after it.
    fileprivate func endMembership(
        of user: UserID, in conversation: ConversationState
    ) throws(StoreError) -> Conversation {
        try transaction.members.delete(user, of: conversation.key)
        let (id, object) = (conversation.facts.id, try object(of: conversation))
        try transaction.members.insertDeparture(of: user, from: conversation.key, reply: object.json, at: now)
        if object.members.isEmpty {
            changeAudience(.conversationEnded(id))
            try publish(.noInfo(id))
        } else {
            changeAudience(.conversation(id, members: conversation.facts.users))
            try publish(.info(object))
        }
        try publish(.user(user, .events)) { ConversationRemoval(conversation: id).writeEvent(to: &$0) }
        changeTyping(.left(id, user))
        return object
    }
}
