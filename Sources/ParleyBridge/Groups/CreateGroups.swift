import ParleyProtocol
import ParleyRules
import ParleyStore

extension CreateGroup: OnceHandler {
    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> TrainingGroup)? {
        if let timeZone { try CivilZones.require(timeZone) }
        guard let id, let digest = try context.facts.groups.digest(of: id) else { return nil }
        return (digest, { try context.facts.visibleGroup(id, to: context.sender.user).object })
    }

    func decideNew(in context: DecisionContext) throws -> GroupID {
        let (creator, facts) = (context.sender.user, try context.facts)
        try GroupPolicy.enter(
            groups: facts.groups.groups(of: creator).count, most: context.settings.groupsPerUser)
        try context.checkOpenConversations()
        try context.checkRoom(for: StorageCost.group, of: creator)
        let id = id ?? .random()
        try GroupPolicy.create(id, isTaken: context.conversation(ConversationID(of: id)) != nil)
        return id
    }

    func make(_ id: GroupID, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> TrainingGroup {
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
