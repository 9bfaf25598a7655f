import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension CreateGroup: CommandHandler {
    enum Decision {
        /// A group that the same request has made.
        case repeated(GroupState)
        case insert(GroupID, digest: [UInt8])
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (creator, facts) = (context.sender.user, try context.facts)
        if let timeZone { try CivilZones.require(timeZone) }
        let digest = try BLAKE2b.hash(identityPreimage(sender: context.sender).span, length: .bytes16)
        if let id, let first = try facts.groups.digest(of: id) {
            guard first == digest else { throw Rejection.idTaken }
            return .repeated(try context.visibleGroup(id).group)
        }
        guard try facts.users.hasMember(creator) else {
            throw Rejection(.forbidden, "An operator is in no group.")
        }
        try TrainingGroupRule.enter(
            groups: facts.groups.groups(of: creator).count, most: context.settings.groupsPerUser)
        try context.checkOpenConversations()
        try context.checkRoom(for: StorageCost.group, of: creator)
        let id = id ?? .random()
        try TrainingGroupRule.create(id)
        guard try context.conversation(ConversationID(of: id)) == nil else { throw Rejection.idTaken }
        return .insert(id, digest: digest)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let object: TrainingGroup
        switch decision {
        case .repeated(let group): object = try context.groups.object(of: group)
        case .insert(let id, let digest): object = try insert(id, digest: digest, context)
        }
        context.accept { object.write(to: &$0) }
    }

    private func insert(
        _ id: GroupID, digest: [UInt8], _ context: ApplyContext
    ) throws(StoreError) -> TrainingGroup {
        let creator = context.sender.user
        let conversation = try context.insert(
            NewConversation(
                id: ConversationID(of: id), type: .group, name: name, creator: creator, members: [(creator, .admin)],
                epoch: Epoch.random(), digest: nil))
        try context.charge(StorageCost.row, to: creator)
        let group = try context.transaction.groups.insert(
            id, of: conversation, timeZone: timeZone ?? "UTC", digest: digest)
        context.changeAudience(.group(id, of: group.conversationID))
        let object = try context.groups.object(of: group)
        try context.publish(GroupJoined(object), to: creator)
        try context.boards.begin(group)
        return object
    }
}
