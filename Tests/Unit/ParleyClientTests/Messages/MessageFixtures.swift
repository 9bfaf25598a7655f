import ParleyProtocol

@testable import ParleyClient

/// The content of a text.
func textJSON(_ text: String) -> [UInt8] { Array(#"{"text":"\#(text)"}"#.utf8) }

extension MessageRecord {
    /// A record of alice's phone unless another device is named, without a content unless a sealed one is given.
    static func sample(
        _ seq: Int = 7, id: MessageID = .random(), in conversation: ConversationID = .random(), epoch: String = "e",
        kind: RecordKind = .message, target: MessageID? = nil, by sender: DeviceAddress = device("alice/phone"),
        type: MessageType = .text, sealed: [UInt8]? = nil, for keys: [RecipientKey]? = nil, replyTo: MessageID? = nil,
        expiresAt: Int64? = nil, at time: Int64 = 0
    ) -> MessageRecord {
        MessageRecord(
            id: id, conversation: conversation, epoch: epoch, seq: seq, kind: .known(kind), target: target,
            sender: sender, type: .known(type), suite: sealed.map { _ in .known(.naclBox) }, content: sealed,
            nonce: sealed.map { _ in [4] }, recipientKeys: keys, replyTo: replyTo,
            expiresAt: expiresAt.map { Timestamp(milliseconds: $0) }, createdAt: Timestamp(milliseconds: time))
    }
}

extension Draft {
    static func sample(_ text: String = "a", _ change: Change? = nil, at time: Int64 = 0) -> Draft {
        Draft(type: .text, content: textJSON(text), writtenAt: Timestamp(milliseconds: time), change: change)
    }
}

extension Conversation {
    /// A conversation whose members are these, none of them an admin.
    static func sample(
        _ id: ConversationID, _ type: ConversationType, of users: [UserID], name: String? = nil, lastSeq: Int? = 0,
        updatedAt: Int64 = 1
    ) -> Conversation {
        let time = Timestamp(milliseconds: 1)
        return Conversation(
            id: id, type: .known(type), name: name, createdBy: UserID(validated: "alice"), createdAt: time,
            updatedAt: Timestamp(milliseconds: updatedAt), epoch: "e", lastSeq: lastSeq,
            members: users.map { Member(user: $0, username: $0.text, role: .known(.member), joinedAt: time) })
    }
}
