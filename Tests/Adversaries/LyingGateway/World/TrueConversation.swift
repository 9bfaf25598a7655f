import ParleyProtocol
import Sodium

/// A conversation as the gateway really has it.
struct TrueConversation: Sendable {
    let id: ConversationID
    let type: ConversationType
    var name: String?
    let createdBy: UserID
    let createdAt: Timestamp
    var updatedAt: Timestamp
    var members: [UserID]
    var records: [MessageRecord] = []
    let epoch: String

    var lastSeq: Int { records.last?.seq ?? 0 }

    /// Whom `user` writes to there, for a conversation of two.
    func partner(of user: UserID) -> UserID? { type == .direct ? members.first { $0 != user } : nil }

    /// As an honest gateway tells of it.
    var object: ToldConversation {
        ToldConversation(
            id: id, type: type.rawValue, name: name, createdBy: createdBy, createdAt: createdAt, updatedAt: updatedAt,
            epoch: epoch, lastSeq: lastSeq, members: members)
    }
}

/// A conversation as it is told: whatever the gateway likes.
struct ToldConversation: Sendable {
    var id: ConversationID
    var type: String
    var name: String?
    var createdBy: UserID
    var createdAt: Timestamp
    var updatedAt: Timestamp
    var epoch: String
    var lastSeq: Int
    var members: [UserID]

    func write(to writer: inout JSONWriter, withCounters: Bool = true, inList: Bool = false) {
        writer.object { object in
            object.member("id", id)
            object.member("type", type)
            object.member("name", name)
            object.member("created_by", createdBy)
            object.member("created_at", createdAt)
            object.member("updated_at", updatedAt)
            object.member("epoch", epoch)
            if withCounters { object.member("last_seq", lastSeq) }
            object.member("members", array: members) { writer, user in
                writer.object {
                    $0.member("user_id", user)
                    $0.member("username", user.text)
                    $0.member("role", MemberRole.member.rawValue)
                    $0.member("joined_at", createdAt)
                }
            }
            guard inList else { return }
            object.member("last_message", raw: nil)
            object.member("unread_count", 0)
            object.member("last_read_seq", 0)
            ConversationPreferences().writeMembers(to: &object)
        }
    }
}

extension ConversationID {
    /// Of the direct conversation of two users (protocol §1).
    package static func direct(of one: UserID, _ other: UserID) throws -> ConversationID {
        let digest = try SHA256.hash(directPreimage(one, other).span)
        guard let value = UUIDValue.nameBased(digest: digest) else { throw SodiumError.refused }
        return ConversationID(value)
    }
}
