import ParleyProtocol

/// The header that a message is bound to (protocol §6, "Header"): opening fails with any field changed.
public struct MessageHeader: Hashable, Sendable {
    public var suite: Suite.Bound
    public var conversation: ConversationID
    /// The id of the record: a message, or a change to one.
    public var id: MessageID
    public var sender: DeviceAddress
    public var type: MessageType
    public var replyTo: MessageID?
    public var kind: RecordKind
    public var target: MessageID?
    /// In whole seconds.
    public var expiresIn: Int?

    public init(
        suite: Suite.Bound, conversation: ConversationID, id: MessageID, sender: DeviceAddress, type: MessageType,
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

    /// The authenticated bytes: each field with its 16-bit big-endian length before it.
    package var bytes: [UInt8] {
        let expiry = expiresIn.map(String.init) ?? ""
        let texts =
            suite.rawValue.utf8.count + sender.user.text.utf8.count + sender.device.text.utf8.count
            + type.rawValue.utf8.count + kind.rawValue.utf8.count + expiry.utf8.count
        return [UInt8](capacity: MessageHeader.fixedLength + texts) { output in
            output.append(field: "parley/v1")
            output.append(field: suite.rawValue)
            output.append(field: conversation.value)
            output.append(field: id.value)
            output.append(field: sender.user.text)
            output.append(field: sender.device.text)
            output.append(field: type.rawValue)
            output.append(field: replyTo?.value)
            output.append(field: kind.rawValue)
            output.append(field: target?.value)
            output.append(field: expiry)
        }
    }

    /// The offset of the id's 36 characters in `bytes`.
    var idPosition: Int { 2 + 9 + 2 + suite.rawValue.utf8.count + 2 + 36 + 2 }

    /// The bytes of eleven lengths, the version and four ids.
    private static let fixedLength = 11 * 2 + 9 + 4 * 36
}

extension OutputSpan<UInt8> {
    fileprivate mutating func append(field text: String) {
        var text = text
        text.withUTF8 { field in
            append(UInt8(truncatingIfNeeded: field.count >> 8))
            append(UInt8(truncatingIfNeeded: field.count))
            precondition(freeCapacity >= field.count)
            unsafe withUnsafeMutableBufferPointer { target, count in
                _ = unsafe target[count...].update(fromContentsOf: field)
                count += field.count
            }
        }
    }

    fileprivate mutating func append(field id: UUIDValue?) {
        append(0)
        append(id == nil ? 0 : 36)
        id?.append(to: &self)
    }
}

/// The bytes of successive headers. Those of one device in one conversation mostly differ in the message's id only:
/// then only that is written.
struct HeaderBytes: Sendable {
    private var last: MessageHeader?
    private var bytes: [UInt8] = []

    /// The same as `header.bytes`.
    mutating func write(_ header: MessageHeader) -> [UInt8] {
        if last?.isSame(butForIDOf: header) == true {
            var text = bytes.mutableSpan
            header.id.value.write(over: &text, at: header.idPosition)
        } else {
            bytes = header.bytes
            last = header
        }
        return bytes
    }
}

extension MessageHeader {
    /// Whether only the id differs. Field by field: copying a header would cost more than all the rest.
    fileprivate func isSame(butForIDOf other: MessageHeader) -> Bool {
        conversation == other.conversation && sender == other.sender && suite == other.suite && type == other.type
            && replyTo == other.replyTo && kind == other.kind && target == other.target
            && expiresIn == other.expiresIn
    }
}
