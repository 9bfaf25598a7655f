import Foundation
import ParleyProtocol

// The hot kinds as Foundation's coder sees them: plain texts and bytes, the names of protocol §5 as they are spelled.

struct SendView: Codable, Equatable {
    struct Key: Codable, Equatable {
        let user_id: String
        let device_id: String
        let encrypted_key: Data
        let key_id: Data?
    }

    let request_id: String?
    let id: String
    let conversation_id: String
    let message_type: String
    let suite: String
    let encrypted_content: Data
    let nonce: Data
    let recipient_keys: [Key]?
    let recipient_key_id: Data?
    let reply_to: String?
    let expires_in: Int?
    let reply: String?

    init(_ message: SendMessage, requestID: String? = nil, namesReply: Bool = true) {
        request_id = requestID
        id = "\(message.id)"
        conversation_id = "\(message.conversation)"
        message_type = message.type.rawValue
        suite = message.sealed.suite.rawValue
        encrypted_content = Data(message.sealed.content)
        nonce = Data(message.sealed.nonce)
        recipient_keys = message.sealed.recipientKeys.map { keys in
            keys.map {
                Key(
                    user_id: $0.address.user.text, device_id: $0.address.device.text,
                    encrypted_key: Data($0.encryptedKey), key_id: ($0.keyID?.bytes).map { Data($0) })
            }
        }
        recipient_key_id = (message.sealed.recipientKeyID?.bytes).map { Data($0) }
        reply_to = message.replyTo.map { "\($0)" }
        expires_in = message.expiresIn
        reply = message.echoIsReply && namesReply ? "event" : nil
    }

    /// But for how the reply is wanted, which our own type keeps as a truth value.
    func isSame(as message: SendMessage) -> Bool {
        let expected = SendView(message)
        return id == expected.id && conversation_id == expected.conversation_id
            && message_type == expected.message_type && suite == expected.suite
            && encrypted_content == expected.encrypted_content && nonce == expected.nonce
            && recipient_keys == expected.recipient_keys && recipient_key_id == expected.recipient_key_id
            && reply_to == expected.reply_to
            && expires_in == expected.expires_in && (reply == "event") == message.echoIsReply
    }
}

struct HistoryView: Codable, Equatable {
    enum Point: Codable, Equatable {
        case seq(Int)
        case id(String)

        init(_ point: RecordPoint) {
            switch point {
            case .seq(let seq): self = .seq(seq)
            case .id(let id): self = .id("\(id)")
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let seq = try? container.decode(Int.self) {
                self = .seq(seq)
            } else {
                self = .id(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .seq(let seq): try container.encode(seq)
            case .id(let id): try container.encode(id)
            }
        }
    }

    let conversation_id: String
    let limit: Int?
    let before: Point?
    let after: Point?
    let around: Point?

    init(_ history: GetHistory, namesLimit: Bool = true) {
        conversation_id = "\(history.conversation)"
        limit = namesLimit ? history.limit : nil
        var points: (before: Point?, after: Point?, around: Point?)
        switch history.position {
        case .newest: break
        case .before(let point): points.before = Point(point)
        case .after(let point): points.after = Point(point)
        case .around(let point): points.around = Point(point)
        }
        (before, after, around) = points
    }

    func isSame(as history: GetHistory) -> Bool {
        let expected = HistoryView(history)
        return conversation_id == expected.conversation_id && (limit ?? 50) == expected.limit
            && before == expected.before && after == expected.after && around == expected.around
    }
}

struct RecordView: Decodable, Equatable {
    let id: String
    let conversation_id: String
    let epoch: String
    let seq: Int
    let kind: String
    let target_id: String?
    let sender_id: String
    let sender_device_id: String
    let message_type: String
    let suite: String?
    let encrypted_content: Data?
    let nonce: Data?
    let recipient_keys: [SendView.Key]?
    let reply_to: String?
    let expires_at: String?
    let created_at: String
    let status: String?

    init(_ record: MessageRecord, status: MessageStatus? = nil) throws {
        id = "\(record.id)"
        conversation_id = "\(record.conversation)"
        epoch = record.epoch
        seq = record.seq
        kind = record.kind.name
        target_id = record.target.map { "\($0)" }
        sender_id = record.sender.user.text
        sender_device_id = record.sender.device.text
        message_type = record.type.name
        suite = record.suite?.name
        encrypted_content = record.content.map { Data($0) }
        nonce = record.nonce.map { Data($0) }
        recipient_keys = try record.recipientKeysJSON.map {
            try JSONDecoder().decode([SendView.Key].self, from: Data($0))
        }
        reply_to = record.replyTo.map { "\($0)" }
        expires_at = (record.kind == .known(.message) ? record.expiresAt : nil).map { "\($0)" }
        created_at = "\(record.createdAt)"
        self.status = status?.rawValue
    }
}

struct EventView<Content: Decodable>: Decodable {
    let type: String
    let data: Content
}

struct PageView: Decodable {
    let messages: [RecordView]
    let has_more: Bool
    let next_cursor: Int?
    let epoch: String
    let last_seq: Int
    let found_oldest: Bool
    let found_newest: Bool
}
