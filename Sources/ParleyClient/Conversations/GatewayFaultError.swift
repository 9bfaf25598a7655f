import ParleyProtocol
import Sodium

/// Something that an honest gateway never says. Nothing is believed of what it was part of, and nothing is sealed by
/// it.
public enum GatewayFaultError: Error, Hashable, Sendable {
    /// A direct conversation has other members than the user and one other.
    case directMembers(ConversationID, [UserID])
    /// The id of a direct conversation is not the one of its two members (protocol §1).
    case directID(ConversationID, [UserID])
    /// A group under an id that is a direct conversation's.
    case groupID(ConversationID)
    /// A group of which the user is said to be no member.
    case foreignGroup(ConversationID)
    /// A direct conversation is said to be a group, or a group a direct conversation.
    case otherType(ConversationID)
    /// It was asked for one conversation, and answered with another.
    case otherConversation(ConversationID)
    /// It was asked for one group that trains together, and answered with another.
    case otherGroup(GroupID)
    /// A group that was just made has members whom nobody has put there.
    case uninvited(ConversationID, [UserID])
    /// What was answered to a question for a user's keys are none, or somebody else's.
    case unreadableKeys(UserID)
    /// It refuses a message for being sealed for other devices than there are, and lists no others.
    case otherDevices(ConversationID)
    /// A list or a history has no end.
    case endless
    /// More conversations than a device keeps.
    case tooManyConversations
}

extension GatewayFaultError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .directMembers(let id, let users):
            "the gateway says that \(GatewayFaultError.list(users)) are in the conversation of two \(id): nothing is sent there"
        case .directID(let id, let users):
            "the gateway says that \(id) is the conversation of \(GatewayFaultError.list(users)), which it is not: nothing is "
                + "sent there"
        case .groupID(let id), .otherType(let id):
            "the gateway says that \(id) is another kind of conversation than it is: nothing is sent there"
        case .foreignGroup(let id): "the gateway tells of the group \(id), in which the user is not"
        case .otherConversation(let id): "the gateway has answered with another conversation, \(id)"
        case .otherGroup(let id): "the gateway has answered with another group, \(id)"
        case .uninvited(let id, let users):
            "the gateway has put \(GatewayFaultError.list(users)) into the new group \(id), whom nobody has invited"
        case .unreadableKeys(let user):
            "what the gateway gives as the keys of \(user) are none of theirs: nothing is sealed with them"
        case .otherDevices(let id):
            "the gateway wants what is sent to \(id) sealed for other devices than it lists: nothing is sealed for them"
        case .endless: "the gateway gives a list that does not end; it was given up"
        case .tooManyConversations: "the gateway tells of more conversations than can be; the others are left out"
        }
    }

    private static let mostNamed = 5

    private static func list(_ users: [UserID]) -> String {
        let names = users.prefix(mostNamed).map(\.text).joined(separator: ", ")
        return users.count > mostNamed ? names + " and others" : names
    }
}

extension Conversation {
    /// What of this an honest gateway does not say.
    ///
    /// - Parameters:
    ///   - user: the device's own.
    ///   - known: what the device knew of the same conversation.
    func fault(for user: UserID, known: Conversation?) -> GatewayFaultError? {
        if let known, known.type != type { return .otherType(id) }
        let users = members.map(\.user)
        switch type {
        case .known(.direct):
            guard users.count == 2, users.contains(user), let other = users.first(where: { $0 != user }) else {
                return .directMembers(id, users)
            }
            return id == .direct(user, other) ? nil : .directID(id, users)
        case .known(.group), .unknown:
            if id.value.isNameBased { return .groupID(id) }
            return users.contains(user) ? nil : .foreignGroup(id)
        }
    }
}

extension ConversationID {
    /// The id of the direct conversation of two users (protocol §1); `nil` where there is no memory.
    static func direct(_ one: UserID, _ other: UserID) -> ConversationID? {
        (try? SHA256.hash(ConversationID.directPreimage(one, other).span))
            .flatMap { UUIDValue.nameBased(digest: $0) }.map { ConversationID($0) }
    }
}
