import ParleyProtocol

/// Decides what happens to groups that train together (protocol §5, `groups/*`). What their conversations have in
/// common with other groups' conversations, `GroupRule` decides.
public enum TrainingGroupRule {
    /// `groups/create` and `invites/accept`: somebody comes into one more group.
    ///
    /// - Parameters:
    ///   - groups: in how many they are.
    ///   - most: in how many a user may be.
    public static func enter(groups: Int, most: Int) throws(Rejection) {
        guard groups < most else {
            let message = most == 1 ? "You are in a group already." : "You are in \(groups) groups already."
            throw Rejection(.alreadyInGroup, message)
        }
    }

    /// `groups/create`
    ///
    /// - Parameter isTaken: whether there is a conversation of this id: the group's is made under it.
    /// - Throws: `bad_request` for an id that a direct conversation may have, `conflict` for one that is taken.
    public static func create(_ id: GroupID, isTaken: Bool) throws(Rejection) {
        guard !id.value.isNameBased else {
            throw Rejection(.badRequest, "id: UUIDs of version 8 are the ids of direct conversations")
        }
        guard !isTaken else { throw .idTaken }
    }

    /// `conversations/update` of a group's conversation: a group always has a name.
    public static func rename(_ change: FieldChange<String>) throws(Rejection) {
        switch change {
        case .unchanged: return
        case .set(let name) where !name.isEmpty: return
        case .set, .cleared: throw Rejection(.badRequest, "name: a group that trains together has one")
        }
    }

    /// `conversations/add-members` to a group's conversation.
    ///
    /// - Throws: `forbidden`, always.
    public static func add() throws(Rejection) {
        throw Rejection(.forbidden, "People come into this group by invitations.")
    }

    /// `groups/delete`
    ///
    /// - Throws: `not_found` to whoever is no member, `forbidden` to whom is no admin.
    public static func delete(_ conversation: ConversationFacts, by caller: UserID) throws(Rejection) {
        guard let member = conversation.member(caller) else { throw .groupNotFound }
        guard member.role == .admin else { throw Rejection(.forbidden, "Only an admin of the group may do this.") }
    }
}
