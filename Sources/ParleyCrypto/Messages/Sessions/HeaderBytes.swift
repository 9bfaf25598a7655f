import ParleyProtocol

/// The bytes of headers, one after another. Those of what one device sends in one conversation mostly differ in the
/// message's id alone: then that is all that is written.
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
    /// Whether nothing differs but the id. Field by field: a copy with the other's id would cost more than all the rest.
    fileprivate func isSame(butForIDOf other: MessageHeader) -> Bool {
        conversation == other.conversation && sender == other.sender && suite == other.suite && type == other.type
            && replyTo == other.replyTo && kind == other.kind && target == other.target
            && expiresIn == other.expiresIn
    }
}
