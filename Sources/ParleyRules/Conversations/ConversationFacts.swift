import ParleyProtocol

/// A conversation, as rules see it.
package struct ConversationFacts: Hashable, Sendable {
    package let id: ConversationID
    package let type: ConversationType
    package let epoch: String
    /// 0 before the first record.
    package var lastSeq: Int
    /// Of the last message of a person, which is no change and not the gateway's own; 0 before the first.
    package var lastMessageSeq: Int
    /// The time of the last record; see `nextCreation`.
    package var updatedAt: Timestamp
    /// Ordered by id.
    package var members: [MemberFacts]

    package init(
        id: ConversationID, type: ConversationType, epoch: String, lastSeq: Int, lastMessageSeq: Int,
        updatedAt: Timestamp, members: [MemberFacts]
    ) {
        self.id = id
        self.type = type
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.lastMessageSeq = lastMessageSeq
        self.updatedAt = updatedAt
        self.members = members
    }

    /// The end of the log that all members see.
    package var end: LogEnd { LogEnd(lastSeq: lastSeq, lastMessageSeq: lastMessageSeq, updatedAt: updatedAt) }

    /// The end of the log that a user sees: without records that others have withheld from them.
    package func end(seenBy user: UserID) -> LogEnd { member(user).map { end.farthest($0.ownEnd) } ?? end }

    /// The end of the log, withheld records included.
    package var farthestEnd: LogEnd { members.reduce(end) { $0.farthest($1.ownEnd) } }

    /// The events of others that a member does not receive.
    ///
    /// - Parameter blocks: whether they block the other of a direct conversation.
    package func silence(of user: UserID, blocks: Bool = false) -> Silence? {
        if blocks { return Silence(of: user) }
        let withheld = members.lazy.filter { $0.user != user }.map(\.ownEnd.lastSeq).max() ?? 0
        return Silence(of: user, withheld: withheld, joinedSeq: member(user)?.joinedSeq ?? 0)
    }

    /// Ordered by id.
    package var users: [UserID] { members.map(\.user) }

    package var openFor: Set<UserID> { Set(members.lazy.filter(\.isOpen).map(\.user)) }

    package var isOpenForAll: Bool { members.allSatisfy(\.isOpen) }

    package mutating func setOpen(_ isOpen: Bool, for user: UserID) {
        for index in members.indices where members[index].user == user { members[index].isOpen = isOpen }
    }

    package func member(_ user: UserID) -> MemberFacts? { members.first { $0.user == user } }

    /// The other member of a direct conversation.
    package func other(than user: UserID) -> UserID? {
        switch type {
        case .direct: members.first { $0.user != user }?.user
        case .group: nil
        }
    }

    /// Whether a user may write into it, as far as it is theirs: see `Relationship.isAddressable`; a group must be open
    /// for the member.
    func isAddressable(by user: UserID, _ relationship: Relationship?) -> Bool {
        guard let member = member(user) else { return false }
        return relationship?.isAddressable(by: user) ?? member.isOpen
    }

    /// The conversation, if it is open for the user.
    package static func visible(
        _ conversation: ConversationFacts?, to user: UserID
    ) throws(Rejection) -> ConversationFacts {
        guard let conversation, conversation.member(user)?.isOpen == true else { throw .conversationNotFound }
        return conversation
    }
}

/// A member of a conversation, as rules see it.
package struct MemberFacts: Hashable, Sendable {
    package let user: UserID
    package var role: MemberRole
    package let joinedAt: Timestamp
    /// Whether the conversation is in the member's lists, counts and topics. A direct conversation that a stranger has
    /// begun is not, until the member consents.
    package var isOpen: Bool
    /// The last seq before they joined: no earlier record counts as unread.
    package let joinedSeq: Int
    /// They see the records after this seq.
    package let visibleFrom: Int
    /// The end of their withheld records.
    package var ownEnd: LogEnd

    package init(
        user: UserID, role: MemberRole, joinedAt: Timestamp, isOpen: Bool = true, joinedSeq: Int = 0,
        visibleFrom: Int = 0, ownEnd: LogEnd = .none
    ) {
        self.user = user
        self.role = role
        self.joinedAt = joinedAt
        self.isOpen = isOpen
        self.joinedSeq = joinedSeq
        self.visibleFrom = visibleFrom
        self.ownEnd = ownEnd
    }
}

/// The end of a log; see `ConversationFacts`.
package struct LogEnd: Hashable, Sendable {
    package var lastSeq: Int
    package var lastMessageSeq: Int
    package var updatedAt: Timestamp

    package init(lastSeq: Int, lastMessageSeq: Int, updatedAt: Timestamp) {
        (self.lastSeq, self.lastMessageSeq, self.updatedAt) = (lastSeq, lastMessageSeq, updatedAt)
    }

    /// Of an empty log.
    package static let none = LogEnd(lastSeq: 0, lastMessageSeq: 0, updatedAt: Timestamp(milliseconds: 0))

    func farthest(_ other: LogEnd) -> LogEnd {
        LogEnd(
            lastSeq: max(lastSeq, other.lastSeq), lastMessageSeq: max(lastMessageSeq, other.lastMessageSeq),
            updatedAt: max(updatedAt, other.updatedAt))
    }

    mutating func append(_ record: MessageRecord) {
        lastSeq = record.seq
        updatedAt = record.createdAt
        if record.kind == .known(.message), record.type != .known(.system) { lastMessageSeq = record.seq }
    }
}
