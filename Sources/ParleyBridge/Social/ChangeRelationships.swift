import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// `social/follow`, `unfollow`, `block`, `unblock`
    func perform(
        _ act: Relationship.Act, on other: UserID, _ route: ReplyRoute, _ transaction: WriteTransaction,
        _ effects: inout Effects, now: Timestamp
    ) throws {
        let (user, facts) = (route.address.user, transaction.facts)
        guard user != other else { throw Rejection(.badRequest, "user_id: the caller's own") }
        guard try facts.hasMember(user) else {
            throw Rejection(.forbidden, "An operator follows nobody and blocks nobody.")
        }
        try strangers.chargeLookup(of: other, by: user, facts, now: now)
        var conversation = try conversation(.direct([user, other]), facts)
        guard let contact = try conversation?.contact ?? facts.contact(user, other) else {
            throw Rejection.userNotFound
        }
        let old = Relationship(contact, openFor: conversation?.facts.openFor)
        var new = old
        try new.perform(act, by: user, now: now, renewal: settings.requestRenewal)
        try settle(old, new, &conversation, transaction, &effects, now: now)
        let counts = try facts.followCounts(of: user, seenBy: user)
        effects.outgoing.accept(route) { writer in
            writer.object {
                $0.member("user_id", other)
                counts.writeFields(to: &$0)
            }
        }
    }

    /// `requests/accept`: the conversation is the caller's from now on.
    func acceptRequest(
        _ id: ConversationID, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        var conversation = try answer(.accept, to: id, route, transaction, &effects, now: now)
        let object = try object(of: &conversation, seenBy: route.address.user, transaction)
        effects.outgoing.accept(route) { object.write(to: &$0) }
    }

    /// `requests/decline`: whoever asked is told nothing.
    func declineRequest(
        _ id: ConversationID, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        _ = try answer(.decline, to: id, route, transaction, &effects, now: now)
        effects.outgoing.accept(route) { writer in
            writer.object { $0.member("conversation_id", id) }
        }
    }

    private func answer(
        _ act: Relationship.Act, to id: ConversationID, _ route: ReplyRoute, _ transaction: WriteTransaction,
        _ effects: inout Effects, now: Timestamp
    ) throws -> ConversationState {
        let user = route.address.user
        var conversation = try conversation(id, transaction.facts)
        guard let old = conversation?.relationship, conversation?.facts.member(user) != nil else {
            throw Rejection.requestNotFound
        }
        var new = old
        try new.perform(act, by: user, now: now, renewal: settings.requestRenewal)
        try settle(old, new, &conversation, transaction, &effects, now: now)
        guard let conversation else { throw Rejection.internalFault }
        return conversation
    }
}

/// What carries out all four.
protocol RelationshipHandler: UserRequest, CommandHandler {
    var act: Relationship.Act { get }
}

extension RelationshipHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.perform(
            act, on: user, context.route, context.transaction, &effects, now: context.now)
    }
}

extension Follow: RelationshipHandler {
    var act: Relationship.Act { .follow }
}

extension Unfollow: RelationshipHandler {
    var act: Relationship.Act { .unfollow }
}

extension Block: RelationshipHandler {
    var act: Relationship.Act { .block }
}

extension Unblock: RelationshipHandler {
    var act: Relationship.Act { .unblock }
}

extension AcceptRequest: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.acceptRequest(conversation, context.route, context.transaction, &effects, now: context.now)
    }
}

extension DeclineRequest: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.declineRequest(conversation, context.route, context.transaction, &effects, now: context.now)
    }
}
