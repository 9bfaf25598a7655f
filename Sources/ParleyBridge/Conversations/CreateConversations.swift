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
    ///
    /// Whoever makes one that the other has made before, of which they have seen nothing, finds it as if they had made it.
    private func createDirect(
        _ plan: CreateConversationRule.Plan, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws -> ConversationState {
        let (facts, creator) = (transaction.facts, plan.members[0])
        let id = try ConversationID.direct(plan.members)
        let made = try conversation(id, facts)
        guard let contact = try made?.contact ?? facts.contact(creator, plan.members[1]) else {
            throw Rejection.internalFault
        }
        let old = Relationship(contact, openFor: made?.facts.openFor)
        var new = old
        try new.perform(.create, by: creator, now: now, renewal: settings.requestRenewal)
        guard var made else {
            return try insert(
                plan, id: id, digest: nil, openFor: new.openFor ?? [], transaction, &effects, now: now)
        }
        if made.facts.isUnknown(to: creator) {
            made.facts.make(by: creator, at: now)
            try transaction.setMade(by: creator, at: now, in: made)
            note(made)
        }
        var settled: ConversationState? = made
        try settle(old, new, &settled, transaction, &effects, now: now)
        guard let settled else { throw Rejection.internalFault }
        return settled
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
        let candidates = try plan.members.dropFirst().map { user in
            try candidate(user, by: creator, facts, now: now)
        }
        let strangers = try GroupEntry.strangers(
            among: candidates, mostGroupsByOthers: settings.groupsByOthers)
        try checkRoom(for: StorageCost.conversation(members: plan.members.count), of: creator, facts)
        try chargeStrangers(strangers, putIntoGroupBy: creator, now: now)
        return try insert(
            plan, id: id, digest: digest, openFor: Set(plan.members), transaction, &effects, now: now)
    }

    /// What is asked about somebody before they are put into a group.
    ///
    /// - Parameter group: the group, if there is one already.
    func candidate(
        _ user: UserID, by inviter: UserID, into group: ConversationKey? = nil, _ facts: Snapshot, now: Timestamp
    ) throws -> GroupEntry.Candidate {
        let contact = try facts.contact(inviter, user)
        return GroupEntry.Candidate(
            permission: .decide(
                from: inviter, to: user, contact, now: now, renewal: settings.requestRenewal),
            isFriend: contact?.areFriends ?? false,
            hasDeparted: try group.map { try facts.hasDeparted(user, from: $0) } ?? false,
            groupsByOthers: try facts.groupsByOthers(of: user, atMost: settings.groupsByOthers))
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
        // What is retained of a direct conversation never changes: where the other one is not to know of it yet, it would tell
        // them later who has made it, and when.
        if audience.count == plan.members.count { try announce(object, transaction, &effects) }
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

extension CreateConversation: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.create(self, context.route, context.transaction, &effects, now: context.now)
    }
}
