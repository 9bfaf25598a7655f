import MQTTWire
import GatewaySite
import ParleyProtocol

/// A sender's `messages/send` as a finished PUBLISH, in which only the packet identifier and the id change.
struct RequestTemplate {
    /// Bytes of ciphertext in a message.
    static let ciphertextBytes = 256

    private(set) var bytes: [UInt8]
    private let identifierAt: Int
    private let idAt: Int
    private var identifier: UInt16 = 0

    /// - Parameter form: how the gateway is to answer; the relays do not look.
    init(sender: DeviceAddress, conversation: ConversationID, form: ReplyForm) throws {
        let topic = "\(Topic.prefix)up/\(sender.user)/\(sender.device)/messages/send"
        let ciphertext = Base64Text.random(bytes: RequestTemplate.ciphertextBytes)
        // The conversation stands first, so that a relay finds it without parsing anything.
        let head = #"{"conversation_id":"\#(conversation)","id":""#
        let tail =
            #"","message_type":"text","suite":"x25519-hkdf-sha256-aes256gcm","encrypted_content":"\#(ciphertext)","#
            + #""nonce":"\#(Base64Text.random(bytes: 12))"\#(form.member)}"#
        let id = MessageNumber(sender: 0, run: 0, count: 0).id(milliseconds: 0)
        let packet = try PacketWriter.publish(
            topic: topic, payload: Array("\(head)\(MessageID(id))\(tail)".utf8))
        bytes = packet.bytes
        identifierAt = packet.identifierAt
        idAt = packet.payloadAt + head.utf8.count
    }

    /// Makes the bytes those of the next message.
    mutating func prepare(_ number: MessageNumber, milliseconds: Int64) {
        identifier = identifier == .max ? 1 : identifier + 1
        bytes[identifierAt] = UInt8(identifier >> 8)
        bytes[identifierAt + 1] = UInt8(identifier & 0xFF)
        MessageNumber.write(milliseconds: milliseconds, over: &bytes, at: idAt)
        number.write(over: &bytes, at: idAt)
    }
}

/// How a sender learns that its message is committed (protocol §4).
enum ReplyForm {
    /// By its own `message.new`.
    case event
    /// By a reply of its own.
    case reply

    fileprivate var member: String {
        switch self {
        case .event: #","reply":"event""#
        case .reply: ""
        }
    }
}

/// The place of the id in a delivery: behind the same bytes every time.
enum DeliveryForm {
    /// The gateway's event.
    static let event = Array(#"{"type":"message.new","data":{"id":""#.utf8)
    /// The request itself, as a relay passes it on. The conversation's id is any 36 characters.
    static let relayed = Array(#"{"conversation_id":"00000000-0000-0000-0000-000000000000","id":""#.utf8)
    /// The gateway's reply.
    static let accepted = Array(#"{"request_id":null,"ok":true,"data":{"id":""#.utf8)

    private static let idLength = 36

    /// Where in the payload the id begins; `nil` for what none of these is.
    @inline(__always)
    static func idOffset(in bytes: borrowing [UInt8], payload: Range<Int>, isReply: Bool) -> Int? {
        guard payload.count > 2 else { return nil }
        let prefix = isReply ? accepted : bytes[payload.lowerBound + 2] == UInt8(ascii: "t") ? event : relayed
        let start = payload.lowerBound + prefix.count
        let quote = UInt8(ascii: "\"")
        guard payload.count > prefix.count + idLength, bytes[start - 1] == quote, bytes[start - 4] == UInt8(ascii: "d"),
            bytes[start + idLength] == quote
        else { return nil }
        return start
    }
}
