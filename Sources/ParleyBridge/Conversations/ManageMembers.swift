import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// `conversations/add-members`
    func add(
        _ request: AddMembers, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let caller = route.address.user
        var conversation = try visibleConversation(request.conversation, to: caller, transaction.facts)
        let addition = try GroupRule.add(
            request.users, to: conversation.facts, by: caller, maximumMembers: settings.groupMembers,
            mostGroupsByOthers: settings.groupsByOthers
        ) { user in try candidate(user, by: caller, into: conversation.key, transaction.facts, now: now) }
        let added = addition.users
        try checkRoom(for: StorageCost.members(added.count), of: caller, transaction.facts)
        try chargeStrangers(addition.strangers, putIntoGroupBy: caller, now: now)
        // The records count by themselves.
        try charge(StorageCost.row * added.count, to: caller, transaction.facts)
        let lastSeq = conversation.facts.lastSeq
        for user in added {
            let member = MemberFacts(
                user: user, role: .member, joinedAt: conversation.facts.nextCreation(now), joinedSeq: lastSeq,
                visibleFrom: settings.newMembersSeeHistory == 1 ? 0 : lastSeq)
            try transaction.insert(member, into: conversation, addedBy: caller)
            conversation.facts.join(member)
        }
        // Whoever comes sees that he was brought, and the others who were with him.
        for user in added {
            try append(
                .memberAdded, about: user, by: route.address, to: &conversation, transaction, &effects, now: now)
        }
        let object = try object(of: &conversation, transaction)
        if !added.isEmpty {
            effects.audience.append(.conversation(object.id, members: conversation.facts.users))
            try announce(object, transaction, &effects)
        }
        for user in added {
            try effects.event(.user(user, .events), transaction) { object.writeCreated(to: &$0) }
        }
        effects.outgoing.accept(route) { object.write(to: &$0) }
    }

    /// `conversations/remove-member`
    func remove(
        _ request: RemoveMember, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let caller = route.address.user
        guard request.user != caller else {
            return try leave(request.conversation, route, transaction, &effects, now: now)
        }
        var conversation = try visibleConversation(request.conversation, to: caller, transaction.facts)
        let object: Conversation
        if try GroupRule.remove(request.user, from: conversation.facts, by: caller) {
            conversation.facts.depart(request.user)
            try append(
                .memberRemoved, about: request.user, by: route.address, to: &conversation, transaction, &effects,
                now: now)
            object = try end(request.user, &conversation, transaction, &effects, now: now)
        } else {
            guard try transaction.facts.hasMember(request.user) else { throw Rejection.userNotFound }
            object = try self.object(of: &conversation, transaction)
        }
        effects.outgoing.accept(route) { object.write(to: &$0) }
    }

    /// `conversations/leave`
    func leave(
        _ id: ConversationID, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let caller = route.address.user
        if let farewell = try farewell(of: caller, from: id, transaction.facts) {
            // Done before: he is told what he was told then, and nothing of what has become of it since.
            effects.outgoing.accept(route) { $0.raw(farewell) }
            return
        }
        var conversation = try visibleConversation(id, to: caller, transaction.facts)
        let departure = try GroupRule.leave(conversation.facts, by: caller)
        conversation.facts.depart(caller)
        try append(
            .memberLeft, about: caller, by: route.address, to: &conversation, transaction, &effects, now: now)
        switch departure {
        case .others, .nobodyLeft: break
        case .succeeded(let successor):
            try setRole(.admin, of: successor, &conversation, route, transaction, &effects, now: now)
        }
        let object = try end(caller, &conversation, transaction, &effects, now: now)
        effects.outgoing.accept(route) { object.write(to: &$0) }
    }

    /// `conversations/set-role`
    func setRole(
        _ request: SetRole, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let caller = route.address.user
        var conversation = try visibleConversation(request.conversation, to: caller, transaction.facts)
        let isNews = try GroupRule.setRole(request.role, of: request.user, in: conversation.facts, by: caller)
        if isNews {
            try checkRoom(for: StorageCost.row, of: caller, transaction.facts)
            try setRole(request.role, of: request.user, &conversation, route, transaction, &effects, now: now)
        }
        let object = try object(of: &conversation, transaction)
        if isNews { try announce(object, transaction, &effects) }
        effects.outgoing.accept(route) { object.write(to: &$0) }
    }

    // MARK: What follows

    /// The conversation as it stands in the transaction, as a member sees it; without one, as all do.
    func object(
        of conversation: inout ConversationState, seenBy user: UserID? = nil, _ transaction: WriteTransaction
    ) throws -> Conversation {
        try transaction.updateLog(&conversation)
        noteGrown(conversation)
        guard let object = try transaction.facts.conversationObject(conversation.key, seenBy: user) else {
            throw StoreError.failed(code: 0, message: "a conversation is gone")
        }
        return object
    }

    /// Tells the members how the conversation stands now.
    func announce(_ object: Conversation, _ transaction: WriteTransaction, _ effects: inout Effects) throws {
        try effects.event(.conversation(object.id, .info), retain: true, transaction) { object.writeUpdated(to: &$0) }
    }

    private func farewell(of user: UserID, from id: ConversationID, _ facts: Snapshot) throws -> [UInt8]? {
        guard let conversation = try conversation(id, facts), conversation.facts.member(user) == nil else { return nil }
        return try facts.farewell(of: user, from: conversation.key)
    }

    private func setRole(
        _ role: MemberRole, of user: UserID, _ conversation: inout ConversationState, _ route: ReplyRoute,
        _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        try transaction.setRole(role, of: user, in: conversation.key)
        conversation.facts.setRole(role, of: user)
        try append(.roleChanged, about: user, by: route.address, to: &conversation, transaction, &effects, now: now)
    }

    /// Ends the membership of somebody who is among the members no more: he hears nothing from here on, and is told.
    private func end(
        _ user: UserID, _ conversation: inout ConversationState, _ transaction: WriteTransaction,
        _ effects: inout Effects, now: Timestamp
    ) throws -> Conversation {
        try transaction.deleteMember(user, of: conversation.key)
        let (id, object) = (conversation.facts.id, try object(of: &conversation, transaction))
        try transaction.insertDeparture(of: user, from: conversation.key, farewell: object.json, at: now)
        if object.members.isEmpty {
            effects.audience.append(.conversationEnded(id))
            // An empty retained payload takes back what was retained (MQTT 5, 3.3.1.3).
            try effects.event(.conversation(id, .info), retain: true, transaction) { _ in }
        } else {
            effects.audience.append(.conversation(id, members: conversation.facts.users))
            try announce(object, transaction, &effects)
        }
        try effects.event(.user(user, .events), transaction) { Conversation.writeRemoved(id, to: &$0) }
        for indicator in typing.leave(id, user: user, now: now) { effects.announce(indicator) }
        return object
    }
}

extension Conversation {
    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.finish()
    }
}

extension AddMembers: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.add(self, context.route, context.transaction, &effects, now: context.now)
    }
}

extension RemoveMember: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.remove(self, context.route, context.transaction, &effects, now: context.now)
    }
}

extension SetRole: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.setRole(self, context.route, context.transaction, &effects, now: context.now)
    }
}

extension LeaveConversation: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.leave(conversation, context.route, context.transaction, &effects, now: context.now)
    }
}
