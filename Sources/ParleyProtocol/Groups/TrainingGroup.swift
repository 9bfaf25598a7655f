/// The group object of protocol §5: people who train together. Its name, members and roles are those of its
/// conversation.
public struct TrainingGroup: GatewayObject {
    public let id: GroupID
    public let name: String
    public let conversation: ConversationID
    public let createdBy: UserID
    public let createdAt: Timestamp
    /// The IANA name of the zone that its weeks follow.
    public let timeZone: String
    /// In the order of joining.
    public let members: [Member]

    public var memberCount: Int { members.count }

    public init(
        id: GroupID, name: String, conversation: ConversationID, createdBy: UserID, createdAt: Timestamp,
        timeZone: String, members: [Member]
    ) {
        self.id = id
        self.name = name
        self.conversation = conversation
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.timeZone = timeZone
        self.members = members
    }

    /// The group of this conversation.
    package init(_ id: GroupID, timeZone: String, of conversation: Conversation) {
        self.init(
            id: id, name: conversation.name ?? "", conversation: conversation.id, createdBy: conversation.createdBy,
            createdAt: conversation.createdAt, timeZone: timeZone, members: conversation.members)
    }

    package init<Pass: FieldPass<TrainingGroup>>(fields pass: inout Pass) throws(Pass.Failure) {
        id = try pass.required("id", \.id)
        name = try pass.required("name", \.name, as: .name)
        conversation = try pass.required("conversation_id", \.conversation)
        createdBy = try pass.required("created_by", \.createdBy)
        createdAt = try pass.required("created_at", \.createdAt)
        timeZone = try pass.required("time_zone", \.timeZone, as: .text(Limits.timeZoneCharacters))
        _ = try pass.required("member_count", \.memberCount)
        members = try pass.required("members", \.members, as: .objects())
    }
}

extension ConversationID {
    /// The conversation of a group has the same UUID.
    package init(of group: GroupID) { self.init(group.value) }
}

/// The `data` of a reply to `groups/list`: the caller's groups, in the order of their creation.
public struct GroupList: GatewayObject {
    public let groups: [TrainingGroup]

    public init(groups: [TrainingGroup]) { self.groups = groups }

    package init<Pass: FieldPass<GroupList>>(fields pass: inout Pass) throws(Pass.Failure) {
        groups = try pass.required("groups", \.groups, as: .objects())
    }
}
