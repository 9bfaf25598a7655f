import ParleyProtocol
import Sodium

/// A statement that an honest gateway never makes. The client believes none of it, and seals nothing because of it.
public enum GatewayFaultError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A direct conversation has other members than the user and one other.
    case directMembers(ConversationID, [UserID])
    /// The id of a direct conversation is not the one of its two members (protocol §1).
    case directID(ConversationID, [UserID])
    /// A group has the id of a direct conversation.
    case groupID(ConversationID)
    /// A group without the user.
    case foreignGroup(ConversationID)
    /// A direct conversation has become a group, or a group a direct conversation.
    case otherType(ConversationID)
    /// The answer is about another conversation than the request.
    case otherConversation(ConversationID)
    /// The answer is about another training group than the request.
    case otherGroup(GroupID)
    /// A new group has members whom nobody has invited.
    case uninvited(ConversationID, [UserID])
    /// The answer to a request for a user's keys holds no keys, or another user's.
    case unreadableKeys(UserID)
    /// It refuses a message as sealed for the wrong devices, and lists the same devices again.
    case otherDevices(ConversationID)
    case endless
    /// More conversations than a device stores.
    case tooManyConversations

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
    /// The fault of an object that no honest gateway sends.
    ///
    /// - Parameters:
    ///   - user: the device's own.
    ///   - known: the conversation object before.
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
    /// The id of the direct conversation of two users (protocol §1); `nil` without memory.
    package static func direct(_ one: UserID, _ other: UserID) -> ConversationID? {
        (try? SHA256.hash(ConversationID.directPreimage(one, other).span))
            .flatMap { UUIDValue.nameBased(digest: $0) }.map { ConversationID($0) }
    }
}
