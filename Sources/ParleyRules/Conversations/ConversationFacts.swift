import ParleyProtocol

/// What decisions about a conversation need to know of it.
package struct ConversationFacts: Hashable, Sendable {
    package let id: ConversationID
    package let type: ConversationType
    package let epoch: String
    /// The place of the last record; 0 before the first.
    package var lastSeq: Int
    /// The place of the last message of a person: neither a change to one nor the gateway's own; 0 before the first.
    package var lastMessageSeq: Int
    /// When the last record was made; see `nextCreation`.
    package var updatedAt: Timestamp
    /// In the order of their ids.
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

    /// How far the log has come for all members.
    package var end: LogEnd { LogEnd(lastSeq: lastSeq, lastMessageSeq: lastMessageSeq, updatedAt: updatedAt) }

    /// How far it has come for one: what others have written without showing it to them is not there yet.
    package func end(seenBy user: UserID) -> LogEnd { member(user).map { end.farthest($0.ownEnd) } ?? end }

    /// How far it has come, whoever sees it.
    package var farthestEnd: LogEnd { members.reduce(end) { $0.farthest($1.ownEnd) } }

    /// What a member does not hear of the others.
    ///
    /// - Parameter blocks: whether they have blocked the other of a direct conversation.
    package func silence(of user: UserID, blocks: Bool) -> Silence? {
        if blocks { return Silence(of: user) }
        let withheld = members.lazy.filter { $0.user != user }.map(\.ownEnd.lastSeq).max() ?? 0
        return withheld > 0 ? Silence(of: user, through: UInt64(clamping: withheld)) : nil
    }

    /// All members, in the order of their ids.
    package var users: [UserID] { members.map(\.user) }

    /// Those whose own the conversation is.
    package var openFor: Set<UserID> { Set(members.lazy.filter(\.isOpen).map(\.user)) }

    /// Whether the conversation is every member's own.
    package var isOpenForAll: Bool { members.allSatisfy(\.isOpen) }

    /// Makes the conversation a member's own, or theirs no more.
    package mutating func setOpen(_ isOpen: Bool, for user: UserID) {
        for index in members.indices where members[index].user == user { members[index].isOpen = isOpen }
    }

    package func member(_ user: UserID) -> MemberFacts? { members.first { $0.user == user } }

    /// In a direct conversation, the one who is not `user`.
    package func other(than user: UserID) -> UserID? {
        switch type {
        case .direct: members.first { $0.user != user }?.user
        case .group: nil
        }
    }

    /// This conversation, if it is one of the user's.
    package static func visible(
        _ conversation: ConversationFacts?, to user: UserID
    ) throws(Rejection) -> ConversationFacts {
        guard let conversation, conversation.member(user)?.isOpen == true else { throw .conversationNotFound }
        return conversation
    }
}

/// What decisions about a conversation need to know of a member.
package struct MemberFacts: Hashable, Sendable {
    package let user: UserID
    package var role: MemberRole
    package let joinedAt: Timestamp
    /// Whether the conversation is the member's own: in their lists, their counts, their topics. A direct conversation
    /// that a stranger has begun is not, until the member lets them.
    package var isOpen: Bool
    /// The last place of the log before they joined: nothing up to here counts as unread.
    package let joinedSeq: Int
    /// They see what comes after this place.
    package let visibleFrom: Int
    /// The last of what they have written without its being shown to the others.
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

/// How far a conversation's log has come.
package struct LogEnd: Hashable, Sendable {
    /// The place of the last record; 0 before the first.
    package var lastSeq: Int
    /// The place of the last message of a person; 0 before the first.
    package var lastMessageSeq: Int
    /// When the last record was made.
    package var updatedAt: Timestamp

    package init(lastSeq: Int, lastMessageSeq: Int, updatedAt: Timestamp) {
        (self.lastSeq, self.lastMessageSeq, self.updatedAt) = (lastSeq, lastMessageSeq, updatedAt)
    }

    /// Nothing was ever written.
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
