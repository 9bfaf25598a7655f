import ParleyProtocol

extension GroupEvent {
    /// Writes it as an event, and says it as a sentence.
    func write(to object: inout JSONWriter) -> String {
        object.member("event", "\(type)")
        switch self {
        case .joined(let group), .updated(let group):
            object.member("group_id", group.id)
            object.member("name", group.name)
            return isJoining ? "you are in the group \(group.name)" : "the group is called \(group.name) now"
        case .deleted(let group):
            object.member("group_id", group)
            return "the group \(group) is over"
        case .memberJoined(let change): return change.write("is in the group now", to: &object)
        case .memberLeft(let change): return change.write("has left the group", to: &object)
        case .memberRemoved(let change): return change.write("was removed from the group", to: &object)
        case .roleChanged(let change):
            return change.write("is \(change.role?.name ?? "something else") now", to: &object)
        }
    }

    private var isJoining: Bool { if case .joined = self { true } else { false } }
}

extension GroupMemberChange {
    fileprivate func write(_ what: String, to object: inout JSONWriter) -> String {
        object.member("group_id", group)
        object.member("user_id", user)
        object.member("by", by)
        object.member("role", role?.name)
        return "\(user) \(what)"
    }
}
