import ParleyProtocol
import ParleyRules
import ParleyStore

// The consequences of joining, leaving and roles are here for all requests. Those for a training group are called from
// here, so that no request can leave them out.

extension ApplyContext {
    var memberships: Memberships { Memberships(context: self) }
}

/// Begins, changes and ends memberships of a conversation.
struct Memberships {
    let context: ApplyContext

    /// - Parameters:
    ///   - adder: the member who has added them; `nil` if they have joined by an invite.
    ///   - notice: the system event in the conversation for each.
    /// - Returns: the conversation afterwards.
    func beginMemberships(
        of users: [UserID], in conversation: inout ConversationState, addedBy adder: UserID?, _ notice: SystemEvent
    ) throws(StoreError) -> Conversation {
        // The records count by themselves.
        try context.charge(StorageCost.row * users.count, to: context.sender.user)
        let lastSeq = conversation.facts.lastSeq
        for user in users {
            let member = MemberFacts(
                user: user, role: .member, joinedAt: conversation.facts.nextCreation(context.now), joinedSeq: lastSeq,
                visibleFrom: context.settings.newMembersSeeHistory ? 0 : lastSeq)
            try context.transaction.members.insert(member, into: conversation, addedBy: adder)
            conversation.facts.join(member)
        }
        // All become members before the first record: every new member gets the records of all of them.
        for user in users { try context.append(notice, about: user, to: &conversation) }
        let object = try context.object(of: conversation)
        if !users.isEmpty {
            context.changeAudience(conversation.audience)
            try context.publish(ConversationUpdated(object))
        }
        for user in users { try context.publish(ConversationCreated(object), to: user) }
        return object
    }

    /// Ends the sender's membership.
    ///
    /// - Returns: the conversation afterwards.
    func leave(
        _ conversation: ConversationState, _ departure: GroupPolicy.Departure
    ) throws(StoreError) -> Conversation {
        var conversation = conversation
        conversation.facts.remove(context.sender.user)
        try context.append(.memberLeft, about: context.sender.user, to: &conversation)
        switch departure {
        case .others, .nobodyLeft: break
        case .succeeded(let successor): try setRole(.admin, of: successor, in: &conversation)
        }
        return try endMembership(of: context.sender.user, in: conversation, .left)
    }

    /// - Returns: the conversation afterwards.
    func remove(_ user: UserID, from conversation: ConversationState) throws(StoreError) -> Conversation {
        var conversation = conversation
        conversation.facts.remove(user)
        try context.append(.memberRemoved, about: user, to: &conversation)
        return try endMembership(of: user, in: conversation, .removed)
    }

    /// - Returns: the conversation afterwards.
    func setRole(_ decision: RoleDecision) throws(StoreError) -> Conversation {
        var conversation = decision.conversation
        guard decision.isChange else { return try context.object(of: conversation) }
        try setRole(decision.role, of: decision.user, in: &conversation)
        let object = try context.object(of: conversation)
        try context.publish(ConversationUpdated(object))
        return object
    }

    private func setRole(
        _ role: MemberRole, of user: UserID, in conversation: inout ConversationState
    ) throws(StoreError) {
        try context.transaction.members.setRole(role, of: user, in: conversation.key)
        conversation.facts.setRole(role, of: user)
        try context.append(.roleChanged, about: user, to: &conversation)
        try context.groups.announceRole(role, of: user, in: conversation)
    }

    /// Ends the membership of a user whom the facts do not have any more: they receive `conversation.removed`, and
    /// nothing after it.
    private func endMembership(
        of user: UserID, in conversation: ConversationState, _ departure: MemberDeparture
    ) throws(StoreError) -> Conversation {
        try context.transaction.members.delete(user, of: conversation.key)
        let object = try context.object(of: conversation)
        let reply = object.json
        try context.transaction.members.insertDeparture(
            of: user, from: conversation.key, reply: reply, at: context.now)
        // Without a check: a user who has reached the limit may still leave and remove.
        try context.charge(reply.count, to: context.sender.user)
        if object.members.isEmpty {
            try endConversation(conversation)
        } else {
            context.changeAudience(conversation.audience)
            try context.publish(ConversationUpdated(object))
            try context.groups.announceDeparture(of: user, from: conversation, departure)
        }
        try announceRemoval(of: user, from: conversation)
        return object
    }

    /// Ends all memberships, and the conversation.
    func endMemberships(in conversation: ConversationState) throws(StoreError) {
        var conversation = conversation
        let users = conversation.facts.users
        for user in users {
            try context.transaction.members.delete(user, of: conversation.key)
            conversation.facts.remove(user)
        }
        context.replace(conversation)
        let object = try context.object(of: conversation)
        let reply = object.json
        for user in users {
            try context.transaction.members.insertDeparture(
                of: user, from: conversation.key, reply: reply, at: context.now)
        }
        try context.charge(reply.count * users.count, to: context.sender.user)
        try endConversation(conversation)
        for user in users { try announceRemoval(of: user, from: conversation) }
    }

    private func announceRemoval(of user: UserID, from conversation: ConversationState) throws(StoreError) {
        let id = conversation.facts.id
        let position = try context.publish(ConversationRemoval(conversation: id), to: user)
        context.changeTyping(.left(id, user))
        context.pushTriggers.clearing(
            upTo: conversation.facts.lastSeq, in: conversation.key, of: user,
            besides: user == context.sender.user ? context.sender.device : nil, at: position)
    }

    private func endConversation(_ conversation: ConversationState) throws(StoreError) {
        context.changeAudience(.conversationEnded(conversation.facts.id))
        try context.clear(.conversation(conversation.facts.id, .info))
        try context.groups.endGroup(of: conversation)
    }
}
