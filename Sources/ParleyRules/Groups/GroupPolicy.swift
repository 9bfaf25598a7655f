import ParleyProtocol

/// Decides what changes a group for everybody: its name, its members and what they are (protocol §5, `groups/*` and
/// what `conversations/*` does to groups). There are two kinds of group, and what differs between them is decided here.
///
/// A direct conversation is of two people and stays so: it has no name, and nobody is put into it or taken out of it.
/// Doing again what is done already changes nothing and is no mistake. Whoever is not in a conversation gets the same
/// answer as for one that does not exist.
package enum GroupPolicy: Hashable, Sendable {
    /// A conversation of several people, and nothing else. A direct conversation counts as one of these, until it is
    /// refused as such.
    case chat
    /// A group that trains together, and its conversation.
    case training

    // MARK: Made and ended

    /// `groups/create` and `invites/accept`: somebody comes into one more group that trains.
    ///
    /// - Parameters:
    ///   - groups: in how many they are.
    ///   - most: in how many a user may be.
    package static func enter(groups: Int, most: Int) throws(Rejection) {
        guard groups < most else {
            let message = most == 1 ? "You are in a group already." : "You are in \(groups) groups already."
            throw Rejection(.alreadyInGroup, message)
        }
    }

    /// `groups/create`
    ///
    /// - Parameter isTaken: whether there is a conversation of this id: the group's is made under it.
    /// - Throws: as `checkID`; `conflict` for an id that is taken.
    package static func create(_ id: GroupID, isTaken: Bool) throws(Rejection) {
        try checkID(id.value)
        guard !isTaken else { throw .idTaken }
    }

    /// `groups/delete`
    ///
    /// - Throws: `not_found` to whoever is no member, `forbidden` to whom is no admin.
    package static func delete(_ conversation: ConversationFacts, by caller: UserID) throws(Rejection) {
        guard let member = conversation.member(caller) else { throw .groupNotFound }
        try requireAdmin(member)
    }

    /// The id of a direct conversation follows from its users: whoever could give it to a group would keep the two from
    /// each other, or sit between them.
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

    // MARK: Changed

    /// `conversations/update`
    ///
    /// - Returns: whether the name may be another afterwards.
    /// - Throws: `bad_request` for a name of a direct conversation, `forbidden` to whom is no admin, `bad_request` for
    ///   taking a group that trains its name.
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
    ///   - maximumMembers: the cap of a group.
    ///   - mostGroupsByOthers: see `GroupEntryRule`.
    ///   - candidate: what is known of somebody who is to be put in. Who is a member already is not asked about.
    /// - Throws: `forbidden` for a group that trains; `group_full` before anything of the users is looked at; then as
    ///   `GroupEntryRule`.
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

    /// Who comes into a group.
    package struct Addition: Hashable, Sendable {
        /// Those who are not in it yet.
        package let users: [UserID]
        /// How many of them are no friends of whoever puts them in: each costs a first message to a stranger.
        package let strangers: Int
    }

    /// `conversations/remove-member` of another.
    ///
    /// - Returns: whether there is anything to do.
    package static func remove(
        _ user: UserID, from conversation: ConversationFacts, by caller: UserID
    ) throws(Rejection) -> Bool {
        try requireGroup(conversation, admin: caller)
        return conversation.member(user) != nil
    }

    /// `conversations/set-role`
    ///
    /// - Returns: whether there is anything to do.
    /// - Throws: `not_found` for who is no member; `forbidden` to the last admin who would be none.
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

    /// What follows from somebody's leaving.
    package enum Departure: Hashable, Sendable {
        /// The others go on.
        case others
        /// The last admin is gone: this one follows, the longest member, the first by id among several.
        case succeeded(by: UserID)
        /// Nobody is left.
        case nobodyLeft
    }

    /// `conversations/leave`, and `conversations/remove-member` of oneself.
    ///
    /// - Throws: `forbidden` in a direct conversation, which one may archive.
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

    // MARK: Who may

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
