import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension CreateConversation: CommandHandler {
    enum Decision {
        /// A group that the same request has made.
        case repeated(ConversationState)
        case insert(NewConversation)
        /// A direct conversation that the other has made. A caller who could not see it becomes its maker.
        case join(ConversationState, RelationshipDecision)
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let creator = context.sender.user
        let plan = try CreateConversationRule.plan(self, by: creator, maximumMembers: context.settings.groupMembers)
        switch plan.type {
        case .direct: return try decideDirect(plan, context)
        case .group: return try decideGroup(plan, context)
        }
    }

    /// A direct conversation can be made with any user; for whom it is open is a decision of its own.
    private func decideDirect(
        _ plan: CreateConversationRule.Plan, _ context: DecisionContext
    ) throws -> Decision {
        let creator = plan.members[0]
        let id = try ConversationID.direct(plan.members)
        let made = try context.conversation(id)
        let joined = try made?.contact.map { try RelationshipDecision(.create, $0, made, in: context) }
        // A new one is always open for its maker. Their own limit is checked before anything is read of the other.
        if joined?.opensConversation(for: creator) ?? true { try context.checkOpenConversations() }
        // A conversation that the maker can see is no lookup of the other.
        if made?.isVisible(to: creator) != true { try context.chargeLookup(of: plan.members[1]) }
        if let made, let joined { return .join(made, joined) }
        guard let contact = try context.facts.contacts.contact(creator, plan.members[1]) else {
            throw Rejection.userNotFound
        }
        let relationship = try RelationshipDecision(.create, contact, made, in: context)
        if let made { return .join(made, relationship) }
        try context.checkRoom(for: StorageCost.conversation(members: plan.members.count), of: creator)
        return .insert(NewConversation(plan, id: id, digest: nil, openFor: relationship.new.openFor ?? []))
    }

    private func decideGroup(_ plan: CreateConversationRule.Plan, _ context: DecisionContext) throws -> Decision {
        let creator = plan.members[0]
        let id = plan.id ?? .random()
        let digest = try BLAKE2b.hash(plan.identityPreimage.span, length: .bytes16)
        if let conversation = try context.conversation(id) {
            try RepeatRule.check(digest, of: context.facts.conversations.origin(of: id)?.digest)
            return .repeated(try ConversationState.visible(conversation, to: creator))
        }
        try context.checkOpenConversations()
        let candidates = try plan.members.dropFirst().map { try context.candidate($0) }
        let strangers = try GroupEntryRule.strangers(
            among: candidates, mostGroupsByOthers: context.settings.groupsByOthers)
        try context.checkRoom(for: StorageCost.conversation(members: plan.members.count), of: creator)
        try context.chargeStrangers(strangers)
        return .insert(NewConversation(plan, id: id, digest: digest, openFor: Set(plan.members)))
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let creator = context.sender.user
        let conversation: ConversationState
        switch decision {
        case .repeated(let made): conversation = made
        case .insert(let new): conversation = try context.insert(new)
        case .join(let made, let relationship):
            try join(made, relationship, context)
            conversation = try context.conversation(made.facts.id)
        }
        let object = try context.object(of: conversation, seenBy: creator)
        context.accept { object.write(to: &$0) }
    }

    private func join(
        _ made: ConversationState, _ relationship: RelationshipDecision, _ context: ApplyContext
    ) throws(StoreError) {
        let creator = context.sender.user
        var made = made
        if made.facts.isUnknown(to: creator) {
            made.facts.make(by: creator, at: context.now)
            try context.transaction.conversations.setMade(by: creator, at: context.now, in: made)
            context.replace(made)
        }
        try context.relationships.apply(
            RelationshipDecision(old: relationship.old, new: relationship.new, conversation: made))
    }
}

extension DecisionContext {
    /// The facts about a user whom the sender adds to a group. Counts as a lookup.
    ///
    /// - Parameter group: the group, if there is one already.
    func candidate(_ user: UserID, into group: ConversationKey? = nil) throws -> GroupEntryRule.Candidate {
        try chargeLookup(of: user)
        let (facts, inviter) = (try facts, sender.user)
        let contact = try facts.contacts.contact(inviter, user)
        return GroupEntryRule.Candidate(
            permission: .decide(from: inviter, to: user, contact, now: now, renewal: settings.requestRenewal),
            isFriend: contact?.areFriends ?? false,
            hasDeparted: try group.map { try facts.members.hasLeft(user, from: $0) } ?? false,
            groupsByOthers: try facts.members.groupsByOthers(of: user, atMost: settings.groupsByOthers))
    }
}

extension ApplyContext {
    /// Inserts a conversation and publishes it to the members for whom it is open.
    func insert(_ new: NewConversation) throws(StoreError) -> ConversationState {
        let members = new.members.map(\.user)
        try charge(StorageCost.conversation(members: members.count), to: new.creator)
        _ = try transaction.conversations.insert(new, at: now)
        let conversation = try conversation(new.id)
        let object = try object(of: conversation)
        changeAudience(conversation.audience)
        let audience = members.filter { !new.closedFor.contains($0) }
        for member in audience { try publish(ConversationCreated(object), to: member) }
        // The retained message of a direct conversation never changes: where the other must not know of it yet, it
        // would show them later its maker and time.
        if audience.count == members.count { try publish(ConversationUpdated(object)) }
        return conversation
    }
}

extension NewConversation {
    fileprivate init(
        _ plan: CreateConversationRule.Plan, id: ConversationID, digest: [UInt8]?, openFor: Set<UserID>
    ) {
        self.init(
            id: id, type: plan.type, name: plan.name, creator: plan.members[0],
            members: plan.members.map { ($0, plan.role(of: $0)) },
            closedFor: Set(plan.members).subtracting(openFor), epoch: Epoch.random(), digest: digest)
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
