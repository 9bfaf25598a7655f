import ParleyProtocol

/// What a sealed message is bound to (protocol §6, "Header"): with any field of it changed, opening fails.
public struct MessageHeader: Hashable, Sendable {
    public var suite: Suite
    public var conversation: ConversationID
    /// The record's own id: of the message, or of the change to one.
    public var id: MessageID
    public var sender: DeviceAddress
    public var type: MessageType
    public var replyTo: MessageID?
    public var kind: RecordKind
    public var target: MessageID?
    /// In whole seconds.
    public var expiresIn: Int?

    public init(
        suite: Suite, conversation: ConversationID, id: MessageID, sender: DeviceAddress, type: MessageType,
        replyTo: MessageID? = nil, kind: RecordKind = .message, target: MessageID? = nil, expiresIn: Int? = nil
    ) {
        self.suite = suite
        self.conversation = conversation
        self.id = id
        self.sender = sender
        self.type = type
        self.replyTo = replyTo
        self.kind = kind
        self.target = target
        self.expiresIn = expiresIn
    }

    /// The bytes that are authenticated: each field with its 16-bit big-endian length before it.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(320)
        func field(_ text: String) {
            let count = text.utf8.count
            output.append(UInt8(truncatingIfNeeded: count >> 8))
            output.append(UInt8(truncatingIfNeeded: count))
            output.append(contentsOf: text.utf8)
        }
        func field(_ id: UUIDValue?) {
            output.append(0)
            output.append(id == nil ? 0 : 36)
            id?.append(to: &output)
        }
        field("parley/v1")
        field(suite.rawValue)
        field(conversation.value)
        field(id.value)
        field(sender.user.text)
        field(sender.device.text)
        field(type.rawValue)
        field(replyTo?.value)
        field(kind.rawValue)
        field(target?.value)
        field(expiresIn.map(String.init) ?? "")
        return output
    }
}
