import ParleyProtocol

/// What a message that was sent will be heard as on its conversation, which is as good as a reply (protocol §4, "The
/// echo can be the reply").
struct Echo: Hashable, Sendable {
    let conversation: ConversationID
    let id: MessageID
    let content: [UInt8]

    /// - Returns: `nil` for a message whose reply is not its echo.
    init?(of message: SendMessage) {
        guard message.echoIsReply else { return nil }
        conversation = message.conversation
        id = message.id
        content = message.content
    }

    private init(_ record: ReceivedRecord, content: [UInt8]) {
        conversation = record.conversation
        id = record.id
        self.content = content
    }

    /// What an event tells that a device has sent.
    ///
    /// - Returns: `nil` for any event but a new message of `device`'s own.
    static func read(_ message: DeviceMessage, of device: DeviceAddress) -> (echo: Echo, sent: SentMessage)? {
        guard let topic = message.topic, case .conversation(_, .messages) = topic,
            let event = try? GatewayEvent(topic: topic, payload: message.payload), case .record(let record) = event,
            record.kind == .known(.message), record.sender == device, let content = record.content
        else { return nil }
        return (
            Echo(record, content: content),
            SentMessage(id: record.id, epoch: record.epoch, seq: record.seq, createdAt: record.createdAt)
        )
    }
}
