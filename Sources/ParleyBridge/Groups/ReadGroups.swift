import ParleyProtocol
import ParleyStore

extension GetGroup: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        return try context.snapshot.visibleGroup(group, to: context.caller.user).object.write
    }
}

extension ListGroups: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let groups = context.snapshot.groups
        return GroupList(groups: try groups.groups(of: context.caller.user).compactMap { try groups.object($0) }).write
    }
}

extension Snapshot {
    /// A group, and as an object, if the user is in it.
    func visibleGroup(_ id: GroupID, to user: UserID) throws -> (group: GroupState, object: TrainingGroup) {
        guard let group = try groups.group(id), let object = try groups.object(group),
            object.members.contains(where: { $0.user == user })
        else { throw Rejection.groupNotFound }
        return (group, object)
    }
}
