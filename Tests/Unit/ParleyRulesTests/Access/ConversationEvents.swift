import ParleyProtocol
import TestNames

extension ConversationChannel {
    /// An event of this channel that somebody has caused, as the gateway writes it.
    func event(in conversation: ConversationID, by user: UserID, seq: Int) -> [UInt8] {
        let sender = DeviceAddress(user: user, device: DeviceID(validated: "phone"))
        var writer = JSONWriter()
        switch self {
        case .typing:
            TypingIndicator(conversation: conversation, sender: sender, isTyping: true, expiresAt: at(0))
                .writeEvent(to: &writer)
        case .receipts:
            Watermark(conversation: conversation, user: user, kind: .read, message: .random(), seq: seq, at: at(0))
                .writeEvent(to: &writer)
        case .challenges:
            Challenge(
                id: .random(), conversation: conversation, challenger: "alice", challenged: "bob", type: .known(.steps),
                target: 9, durationDays: 2, status: .known(.cancelled), progress: ["alice": 0, "bob": 0], winner: nil,
                outcome: nil, createdAt: at(0), acceptedAt: nil, endsAt: nil
            ).writeEvent(by: user, to: &writer)
        case .messages, .info:
            MessageRecord(
                id: .random(), conversation: conversation, epoch: "k3Jx9w", seq: seq, kind: .reaction,
                target: .random(), sender: sender, type: .text, suite: .naclBox, content: [1], nonce: [2],
                recipientKeys: nil, replyTo: nil, expiresAt: nil, createdAt: at(0)
            ).writeEvent(to: &writer)
        }
        return writer.finish()
    }
}
