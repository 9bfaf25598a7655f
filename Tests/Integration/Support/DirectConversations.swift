import ParleyProtocol
import Sodium

extension DeviceClient {
    /// Makes the direct conversation with a user, or finds it.
    ///
    /// - Returns: its id.
    func conversation(with user: String) throws -> String {
        try accepted("conversations/create", ["type": "direct", "participant_ids": [.string(user)]])["id"].text ?? ""
    }
}

/// The id of the direct conversation of two users, whether there is one or not.
func directConversation(_ one: String, _ other: String) throws -> String {
    let preimage = ConversationID.directPreimage(UserID(validated: one), UserID(validated: other))
    return try UUIDValue.nameBased(digest: SHA256.hash(preimage.span)).map { ConversationID($0).description } ?? ""
}
