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
        let id = try identifier(for: plan)
        let digest: [UInt8]? =
            switch plan.type {
            case .direct: nil
            case .group: try BLAKE2b.hash(plan.identityPreimage.span, length: .bytes16)
            }
        if let key = try existing(id, plan, digest, transaction.facts) {
            guard let conversation = try transaction.facts.conversationObject(key) else {
                throw Rejection.internalFault
            }
            effects.outgoing.accept(route) { conversation.write(to: &$0) }
            return
        }
        let key = try transaction.insert(
            NewConversation(
                id: id, type: plan.type, name: plan.name, creator: creator,
                members: plan.members.map { ($0, plan.role(of: $0)) }, epoch: Epoch.random(), digest: digest),
            at: now)
        guard let conversation = try transaction.facts.conversationObject(key) else { throw Rejection.internalFault }
        effects.audience.append(.conversation(id, members: plan.members, isSilent: false))
        for member in plan.members {
            try effects.event(.user(member, .events), transaction) { conversation.writeCreated(to: &$0) }
        }
        try effects.event(.conversation(id, .info), retain: true, transaction) { conversation.writeUpdated(to: &$0) }
        effects.outgoing.accept(route) { conversation.write(to: &$0) }
    }

    private func identifier(for plan: CreateConversationRule.Plan) throws -> ConversationID {
        switch plan.type {
        case .direct: try ConversationID.direct(plan.members)
        case .group: plan.id ?? .random()
        }
    }

    /// The conversation that an earlier, equal request has made; `conflict` if the id is another's.
    private func existing(
        _ id: ConversationID, _ plan: CreateConversationRule.Plan, _ digest: [UInt8]?, _ facts: Snapshot
    ) throws -> ConversationKey? {
        guard let conversation = try conversation(id, facts) else { return nil }
        switch plan.type {
        case .direct:
            guard conversation.facts.type == .direct else { throw Rejection.idTaken }
        case .group:
            guard let origin = try facts.origin(of: id), let digest, origin.digest == digest else {
                throw Rejection.idTaken
            }
        }
        return conversation.key
    }
}

extension ConversationID {
    /// The id of the direct conversation of two users (protocol §1).
    static func direct(_ members: [UserID]) throws -> ConversationID {
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
