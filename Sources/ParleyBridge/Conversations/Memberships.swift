import ParleyProtocol
import ParleyRules
import ParleyStore

// What follows from somebody's coming into a conversation, going, or being something else there, whichever request it is by.
// Where the conversation is a group's, what follows for that is called from here, so that no way around it is left.

extension ApplyContext {
    /// Makes users members.
    ///
    /// - Parameters:
    ///   - adder: who has put them in; `nil` where they have come by themselves.
    ///   - notice: what the conversation is told of each.
    /// - Returns: the conversation afterwards.
    func beginMemberships(
        of users: [UserID], in conversation: inout ConversationState, addedBy adder: UserID?, _ notice: SystemEvent
    ) throws(StoreError) -> Conversation {
        // The records count by themselves.
        try charge(StorageCost.row * users.count, to: sender.user)
        let lastSeq = conversation.facts.lastSeq
        for user in users {
            let member = MemberFacts(
                user: user, role: .member, joinedAt: conversation.facts.nextCreation(now), joinedSeq: lastSeq,
                visibleFrom: settings.newMembersSeeHistory ? 0 : lastSeq)
            try transaction.members.insert(member, into: conversation, addedBy: adder)
            conversation.facts.join(member)
        }
        // All become members before the first record: every new member gets the records of all of them.
        for user in users { try append(notice, about: user, to: &conversation) }
        let object = try object(of: conversation)
        if !users.isEmpty {
            changeAudience(.conversation(object.id, members: conversation.facts.users))
            try publish(.info(object))
        }
        for user in users {
            try publish(.user(user, .events)) { object.writeCreated(to: &$0) }
        }
        return object
    }

    /// The sender goes.
    ///
    /// - Returns: the conversation afterwards; as JSON where they have gone before.
    func leave(_ decision: LeaveDecision) throws(StoreError) -> ReadyMade<Conversation> {
        switch decision {
        case .repeated(let reply): return .json(reply)
        case .leave(var conversation, let departure):
            conversation.facts.remove(sender.user)
            try append(.memberLeft, about: sender.user, to: &conversation)
            switch departure {
            case .others, .nobodyLeft: break
            case .succeeded(let successor): try setRole(.admin, of: successor, in: &conversation)
            }
            return .value(try endMembership(of: sender.user, in: conversation, .left))
        }
    }

    /// Somebody is made to go.
    ///
    /// - Returns: the conversation afterwards; as JSON where the sender has gone before.
    func remove(_ user: UserID, _ decision: RemovalDecision) throws(StoreError) -> ReadyMade<Conversation> {
        switch decision {
        case .leave(let leaving): return try leave(leaving)
        case .nothing(let conversation): return .value(try object(of: conversation))
        case .remove(var conversation):
            conversation.facts.remove(user)
            try append(.memberRemoved, about: user, to: &conversation)
            return .value(try endMembership(of: user, in: conversation, .removed))
        }
    }

    /// - Returns: the conversation afterwards.
    func setRole(_ decision: RoleDecision) throws(StoreError) -> Conversation {
        var conversation = decision.conversation
        guard decision.isNews else { return try object(of: conversation) }
        try setRole(decision.role, of: decision.user, in: &conversation)
        let object = try object(of: conversation)
        try publish(.info(object))
        return object
    }

    private func setRole(
        _ role: MemberRole, of user: UserID, in conversation: inout ConversationState
    ) throws(StoreError) {
        try transaction.members.setRole(role, of: user, in: conversation.key)
        conversation.facts.setRole(role, of: user)
        try append(.roleChanged, about: user, to: &conversation)
        try announceRole(role, of: user, in: conversation)
    }

    /// Ends the membership of somebody who was removed from the members: they receive `conversation.removed`, and nothing
    /// after it.
    private func endMembership(
        of user: UserID, in conversation: ConversationState, _ departure: MemberDeparture
    ) throws(StoreError) -> Conversation {
        try transaction.members.delete(user, of: conversation.key)
        let object = try object(of: conversation)
        try transaction.members.insertDeparture(of: user, from: conversation.key, reply: object.json, at: now)
        if object.members.isEmpty {
            try endConversation(conversation)
        } else {
            changeAudience(.conversation(object.id, members: conversation.facts.users))
            try publish(.info(object))
            try announceDeparture(of: user, from: conversation, departure)
        }
        try announceRemoval(of: user, from: object.id)
        return object
    }

    /// Ends the membership of everybody, with the conversation.
    func endMemberships(in conversation: ConversationState) throws(StoreError) {
        var conversation = conversation
        let users = conversation.facts.users
        for user in users {
            try transaction.members.delete(user, of: conversation.key)
            conversation.facts.remove(user)
        }
        replace(conversation)
        let object = try object(of: conversation)
        for user in users {
            try transaction.members.insertDeparture(of: user, from: conversation.key, reply: object.json, at: now)
        }
        try endConversation(conversation)
        for user in users { try announceRemoval(of: user, from: object.id) }
    }

    private func announceRemoval(of user: UserID, from conversation: ConversationID) throws(StoreError) {
        try publish(.user(user, .events)) { ConversationRemoval(conversation: conversation).writeEvent(to: &$0) }
        changeTyping(.left(conversation, user))
    }

    /// Nobody is in it any more.
    private func endConversation(_ conversation: ConversationState) throws(StoreError) {
        changeAudience(.conversationEnded(conversation.facts.id))
        try publish(.noInfo(conversation.facts.id))
        try endGroup(of: conversation)
    }
}
