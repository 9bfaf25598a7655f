import ParleyProtocol
import TestSupport
import Testing

extension Seeded {
    private static let idAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")

    mutating func level() -> String {
        let length = chance(0.1) ? 64 : Int.random(in: 1...12, using: &self)
        return String((0..<length).map { _ in Self.idAlphabet[Int.random(in: 0..<64, using: &self)] })
    }

    mutating func uuid<ID: UUIDIdentifier>() -> ID { ID(.random(using: &self)) }

    mutating func address() throws -> DeviceAddress {
        DeviceAddress(user: try #require(UserID(level())), device: try #require(DeviceID(level())))
    }

    /// Any millisecond of the years 0 to 9999.
    mutating func time() -> Timestamp {
        let range = Timestamp.earliest.milliseconds...Timestamp.latest.milliseconds
        return Timestamp(milliseconds: Int64.random(in: range, using: &self))
    }

    mutating func topic() throws -> Topic {
        let operation = try #require(Operation(area: level(), verb: level()))
        switch Int.random(in: 0..<7, using: &self) {
        case 0: return .up(try address(), operation)
        case 1: return .down(try address(), operation, try element(ReplyOutcome.allCases))
        case 2: return .conversation(uuid(), try element(ConversationChannel.allCases))
        case 3: return .group(uuid(), try element(GroupChannel.allCases))
        case 4: return .user(try address().user, try element(UserChannel.allCases))
        case 5: return .gatewayStats(name: level())
        default: return .gatewayStatus
        }
    }

    mutating func recipientKeys(_ counts: ClosedRange<Int>) throws -> [RecipientKey] {
        var keys: [RecipientKey] = []
        for index in 0..<Int.random(in: counts, using: &self) {
            // The index keeps addresses apart.
            let device = try #require(DeviceID("d\(index)"))
            let address = DeviceAddress(user: try address().user, device: device)
            keys.append(
                RecipientKey(address: address, encryptedKey: bytes(16...256), keyID: chance(0.5) ? keyID() : nil))
        }
        return keys
    }

    mutating func keyID() -> KeyID? { KeyID(bytes(count: KeyID.length)) }

    mutating func certificate() -> DeviceCertificate {
        DeviceCertificate(signature: bytes(count: 64), issuedAt: time())
    }

    mutating func linkOffer() -> LinkOffer {
        LinkOffer(identityKey: bytes(count: 32), signingKey: bytes(count: 32), linkKey: bytes(count: 32))
    }

    mutating func linkApproval(of device: DeviceID) -> LinkApproval {
        LinkApproval(device: device, certificate: certificate(), sealed: bytes(count: LinkApproval.sealedLength))
    }

    mutating func sendMessage() throws -> SendMessage {
        let suite = try element(Suite.allCases)
        return SendMessage(
            id: uuid(), conversation: uuid(), type: try element(MessageType.Sendable.allCases), suite: suite,
            content: bytes(16...300), nonce: bytes(count: suite.nonceLength),
            recipientKeys: suite.bound != nil && chance(0.3) ? try recipientKeys(0...4) : nil,
            recipientKeyID: chance(0.3) ? keyID() : nil,
            replyTo: chance(0.3) ? uuid() : nil,
            expiresIn: chance(0.3) ? Int.random(in: Limits.expirySeconds, using: &self) : nil,
            echoIsReply: chance(0.5))
    }

    mutating func record() throws -> MessageRecord {
        let kind = try element(RecordKind.allCases)
        let recipients = chance(0.3) ? RecipientKey.json(try recipientKeys(0...3)) : nil
        return MessageRecord(
            id: uuid(), conversation: uuid(), epoch: text(0...8), seq: Int.random(in: 1...Int.max, using: &self),
            kind: kind, target: kind == .message ? nil : uuid(), sender: try address(),
            type: try element(MessageType.allCases), suite: chance(0.8) ? try element(Suite.allCases) : nil,
            content: chance(0.8) ? bytes(0...300) : nil, nonce: chance(0.8) ? bytes(count: 12) : nil,
            recipientKeys: recipients, replyTo: chance(0.3) ? uuid() : nil, expiresAt: chance(0.3) ? time() : nil,
            createdAt: time())
    }

    /// Flips, inserts, deletes, doubles or cuts off, at one to three places.
    mutating func mutate(_ bytes: inout [UInt8]) {
        for _ in 0..<(chance(0.6) ? 1 : Int.random(in: 2...3, using: &self)) {
            guard !bytes.isEmpty else { return }
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[index] = UInt8(truncatingIfNeeded: next())
            case 2: bytes.insert(syntax(), at: index)
            case 3: bytes.remove(at: index)
            case 4:
                let end = min(bytes.count, index + Int.random(in: 1...24, using: &self))
                bytes.insert(contentsOf: bytes[index..<end], at: index)
            default:
                if chance(0.1) { bytes.removeLast(bytes.count - index) } else { bytes[index] = syntax() }
            }
        }
    }

    /// A byte that means something in JSON or in a topic.
    private mutating func syntax() -> UInt8 {
        let bytes = Array(" \t\n\r{}[]\",:\\/u0123456789abefnrtd-+.E=_#\u{0}\u{7F}é".utf8)
        return bytes[Int.random(in: 0..<bytes.count, using: &self)]
    }
}
