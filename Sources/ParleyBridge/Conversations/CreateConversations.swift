import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension Writer {
    /// `conversations/create`
    func create(
        _ request: CreateConversation, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let creator = route.address.user
        let plan = try CreateConversationRule.plan(request, by: creator, maximumMembers: settings.groupMembers)
        for member in plan.members where try !transaction.facts.hasMember(member) {
            // The caller is told that he is no person; of the others, that one of them is not there.
            throw member == creator ? Rejection(.forbidden, "An operator has no conversations.") : .userNotFound
        }
        var conversation =
            switch plan.type {
            case .direct: try createDirect(plan, transaction, &effects, now: now)
            case .group: try createGroup(plan, by: creator, transaction, &effects, now: now)
            }
        let object = try object(of: &conversation, seenBy: creator, transaction)
        effects.outgoing.accept(route) { object.write(to: &$0) }
    }

    /// A direct conversation is made with anybody; for whom it is open is another matter.
    private func createDirect(
        _ plan: CreateConversationRule.Plan, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws -> ConversationState {
        let facts = transaction.facts
        let id = try ConversationID.direct(plan.members)
        var conversation = try conversation(id, facts)
        guard let contact = try conversation?.contact ?? facts.contact(plan.members[0], plan.members[1]) else {
            throw Rejection.internalFault
        }
        let old = Relationship(contact, openFor: conversation?.facts.openFor)
        var new = old
        try new.perform(.create, by: plan.members[0], now: now, renewal: settings.requestRenewal)
        guard conversation == nil else {
            try settle(old, new, &conversation, transaction, &effects, now: now)
            guard let conversation else { throw Rejection.internalFault }
            return conversation
        }
        return try insert(
            plan, id: id, digest: nil, openFor: new.openFor ?? [], transaction, &effects, now: now)
    }

    private func createGroup(
        _ plan: CreateConversationRule.Plan, by creator: UserID, _ transaction: WriteTransaction,
        _ effects: inout Effects, now: Timestamp
    ) throws -> ConversationState {
        let facts = transaction.facts
        let id = plan.id ?? .random()
        let digest = try BLAKE2b.hash(plan.identityPreimage.span, length: .bytes16)
        if let conversation = try conversation(id, facts) {
            guard let origin = try facts.origin(of: id), origin.digest == digest else { throw Rejection.idTaken }
            return try ConversationState.visible(conversation, to: creator)
        }
        try requireInvitable(plan.members.dropFirst(), by: creator, facts, now: now)
        return try insert(
            plan, id: id, digest: digest, openFor: Set(plan.members), transaction, &effects, now: now)
    }

    /// Into a group one may put only those to whom one may write without limit.
    ///
    /// - Throws: `forbidden`, which does not say who it is: it may be somebody who has blocked the caller.
    func requireInvitable(
        _ users: some Sequence<UserID>, by inviter: UserID, _ facts: Snapshot, now: Timestamp
    ) throws {
        for user in users
        where try !facts.permission(from: inviter, to: user, settings, now: now).permits(.invitation) {
            throw Rejection(.forbidden, "One of these may not be written to without limit.")
        }
    }

    private func insert(
        _ plan: CreateConversationRule.Plan, id: ConversationID, digest: [UInt8]?, openFor: Set<UserID>,
        _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws -> ConversationState {
        let cost = StorageCost.conversation(members: plan.members.count)
        try checkRoom(for: cost, of: plan.members[0], transaction.facts)
        try charge(cost, to: plan.members[0], transaction.facts)
        _ = try transaction.insert(
            NewConversation(
                id: id, type: plan.type, name: plan.name, creator: plan.members[0],
                members: plan.members.map { ($0, plan.role(of: $0)) },
                closedFor: Set(plan.members).subtracting(openFor), epoch: Epoch.random(), digest: digest),
            at: now)
        guard var conversation = try conversation(id, transaction.facts) else { throw Rejection.internalFault }
        let object = try object(of: &conversation, transaction)
        let audience = plan.members.filter(openFor.contains)
        effects.audience.append(conversation.audience)
        for member in audience {
            try effects.event(.user(member, .events), transaction) { object.writeCreated(to: &$0) }
        }
        try effects.event(.conversation(id, .info), retain: true, transaction) { object.writeUpdated(to: &$0) }
        return conversation
    }
}

extension ConversationID {
    /// The id of the direct conversation of two users (protocol §1).
    package static func direct(_ members: [UserID]) throws -> ConversationID {
        guard members.count == 2 else { throw Rejection.internalFault }
        let preimage = ConversationID.directPreimage(members[0], members[1])
        guard let value = UUIDValue.nameBased(digest: try SHA256.hash(preimage.span)) else {
            throw Rejection.internalFault
        }
        return ConversationID(value)
    }
}

/// The random name of one unbroken history (protocol §1).
enum Epoch {
    private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")

    /// Eight characters, 46 bits: enough that no two histories of one conversation share it.
    static func random() -> String { String((0..<8).compactMap { _ in alphabet.randomElement() }) }
}
