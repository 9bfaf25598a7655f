import ParleyProtocol

/// Decides changes of a group for all: its name, its members and their roles (protocol §5, `groups/*`, and
/// `conversations/*` for groups). All differences between the two kinds of group are decided here.
///
/// A direct conversation always has its two members and no name. A repeated request changes nothing and is no error. A
/// caller who is no member gets the same answer as for a conversation that does not exist.
package enum GroupPolicy: Hashable, Sendable {
    /// A group conversation alone. A direct conversation counts as one until it is refused as direct.
    case chat
    /// A training group with its conversation.
    case training

    // MARK: Creation and end

    /// `groups/create` and `invites/accept`: a user joins one more training group.
    ///
    /// - Parameters:
    ///   - groups: how many training groups the user is in.
    ///   - most: how many a user may be in.
    package static func enter(groups: Int, most: Int) throws(Rejection) {
        guard groups < most else {
            let message = most == 1 ? "You are in a group already." : "You are in \(groups) groups already."
            throw Rejection(.alreadyInGroup, message)
        }
    }

    /// `groups/create`
    ///
    /// - Parameter isTaken: whether a conversation has this id, which the group's conversation will have.
    /// - Throws: as `checkID`; `conflict` for an id that is taken.
    package static func create(_ id: GroupID, isTaken: Bool) throws(Rejection) {
        try checkID(id.value)
        guard !isTaken else { throw .idTaken }
    }

    /// `groups/delete`
    ///
    /// - Throws: `not_found` to a caller who is no member, `forbidden` to one who is no admin.
    package static func delete(_ conversation: ConversationFacts, by caller: UserID) throws(Rejection) {
        guard let member = conversation.member(caller) else { throw .groupNotFound }
        try requireAdmin(member)
    }

    /// The id of a direct conversation follows from its users: a group with such an id would keep the two from each
    /// other, or sit between them.
    ///
    /// - Throws: `bad_request` for an id that a direct conversation may have.
    static func checkID(_ id: UUIDValue) throws(Rejection) {
        guard !id.isNameBased else {
            throw Rejection(.badRequest, "id: UUIDs of version 8 are the ids of direct conversations")
        }
    }

    /// - Throws: `group_full`
    static func checkSize(_ members: Int, most: Int) throws(Rejection) {
        guard members <= most else { throw Rejection(.groupFull, "A group has at most \(most) members.") }
    }

    // MARK: Changes

    /// `conversations/update`
    ///
    /// - Returns: whether the request changes the name.
    /// - Throws: `bad_request` for a name of a direct conversation and for a training group without one, `forbidden` to
    ///   a caller who is no admin.
    package func rename(
        _ change: FieldChange<String>, _ conversation: ConversationFacts, by caller: UserID
    ) throws(Rejection) -> Bool {
        let caller = try GroupPolicy.member(caller, of: conversation)
        switch (conversation.type, change) {
        case (_, .unchanged), (.direct, .cleared): return false
        case (.direct, .set): throw Rejection(.badRequest, "name: a direct conversation has none")
        case (.group, .cleared), (.group, .set):
            try GroupPolicy.requireAdmin(caller)
            try checkName(change)
            return true
        }
    }

    private func checkName(_ change: FieldChange<String>) throws(Rejection) {
        switch (self, change) {
        case (.chat, _), (.training, .unchanged): return
        case (.training, .set(let name)) where !name.isEmpty: return
        case (.training, .set), (.training, .cleared):
            throw Rejection(.badRequest, "name: a group that trains together has one")
        }
    }

    /// `conversations/add-members`
    ///
    /// - Parameters:
    ///   - users: each once.
    ///   - mostGroupsByOthers: see `GroupEntryRule`.
    ///   - candidate: the facts about a user; not called for members.
    /// - Throws: `forbidden` for a training group; `group_full` before any `candidate`; then as `GroupEntryRule`.
    package func add(
        _ users: [UserID], to conversation: ConversationFacts, by caller: UserID, maximumMembers: Int,
        mostGroupsByOthers: Int, candidate: (UserID) throws -> GroupEntryRule.Candidate
    ) throws -> Addition {
        _ = try GroupPolicy.member(caller, of: conversation)
        guard self == .chat else { throw Rejection(.forbidden, "People come into this group by invitations.") }
        try GroupPolicy.requireGroup(conversation, admin: caller)
        let added = users.filter { conversation.member($0) == nil }
        try GroupPolicy.checkSize(conversation.members.count + added.count, most: maximumMembers)
        let strangers = try GroupEntryRule.strangers(
            among: added.map(candidate), mostGroupsByOthers: mostGroupsByOthers)
        // Nobody adds themselves to anything, not even where they are.
        guard !users.contains(caller) else { throw GroupEntryRule.refusal }
        return Addition(users: added, strangers: strangers)
    }

    package struct Addition: Hashable, Sendable {
        /// The new members.
        package let users: [UserID]
        /// How many of them are no friends of the caller: each costs a first message to a stranger.
        package let strangers: Int
    }

    /// `conversations/remove-member` of another.
    ///
    /// - Returns: whether the user is a member.
    package static func remove(
        _ user: UserID, from conversation: ConversationFacts, by caller: UserID
    ) throws(Rejection) -> Bool {
        try requireGroup(conversation, admin: caller)
        return conversation.member(user) != nil
    }

    /// `conversations/set-role`
    ///
    /// - Returns: whether the role changes.
    /// - Throws: `not_found` for a user who is no member; `forbidden` where no admin would remain.
    package static func setRole(
        _ role: MemberRole, of user: UserID, in conversation: ConversationFacts, by caller: UserID
    ) throws(Rejection) -> Bool {
        try requireGroup(conversation, admin: caller)
        guard let member = conversation.member(user) else {
            throw Rejection(.notFound, "There is no such member.")
        }
        guard member.role != role else { return false }
        guard role == .admin || conversation.admins.count > 1 else {
            throw Rejection(.forbidden, "A group has at least one admin.")
        }
        return true
    }

    /// What follows when a member leaves.
    package enum Departure: Hashable, Sendable {
        /// The group goes on with its admins.
        case others
        /// The last admin has left: the longest member becomes one, the first by id among several.
        case succeeded(by: UserID)
        case nobodyLeft
    }

    /// `conversations/leave`, and `conversations/remove-member` of oneself.
    ///
    /// - Throws: `forbidden` in a direct conversation.
    package static func leave(
        _ conversation: ConversationFacts, by caller: UserID
    ) throws(Rejection) -> Departure {
        let leaving = try member(caller, of: conversation)
        guard conversation.type == .group else {
            throw Rejection(.forbidden, "A direct conversation cannot be left; it can be archived.")
        }
        let others = conversation.members.filter { $0.user != caller }
        guard let longest = others.min(by: { ($0.joinedAt, $0.user) < ($1.joinedAt, $1.user) }) else {
            return .nobodyLeft
        }
        guard leaving.role == .admin, !others.contains(where: { $0.role == .admin }) else { return .others }
        return .succeeded(by: longest.user)
    }

    // MARK: Roles

    private static func member(
        _ user: UserID, of conversation: ConversationFacts
    ) throws(Rejection) -> MemberFacts {
        guard let member = conversation.member(user), member.isOpen else { throw .conversationNotFound }
        return member
    }

    private static func requireGroup(
        _ conversation: ConversationFacts, admin caller: UserID
    ) throws(Rejection) {
        let caller = try member(caller, of: conversation)
        guard conversation.type == .group else {
            throw Rejection(.forbidden, "A direct conversation is of these two alone.")
        }
        try requireAdmin(caller)
    }

    private static func requireAdmin(_ member: MemberFacts) throws(Rejection) {
        guard member.role == .admin else { throw Rejection(.forbidden, "Only an admin of the group may do this.") }
    }
}

extension ConversationFacts {
    fileprivate var admins: [MemberFacts] { members.filter { $0.role == .admin } }
}
