import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

/// A device with keys that are the same in every run, so that what is sealed can stand in a test as figures.
struct Party {
    let address: DeviceAddress
    let keys: IdentityKeyPair

    var key: IdentityKey { keys.publicKey }

    func cipher() -> MessageCipher {
        MessageCipher(device: address, current: keys)
    }

    func cipher(random: @escaping @Sendable (Int) -> [UInt8]) -> MessageCipher {
        MessageCipher(device: address, current: keys, random: random)
    }

    /// Seals ``hello`` under a header with every field.
    func sealed(
        _ suite: Suite.Bound, for recipients: Recipients
    ) throws -> (message: SealedMessage, header: MessageHeader) {
        let header = try MessageHeader.full(suite, from: self)
        var sender = cipher()
        return (try sender.seal(hello, header, for: recipients), header)
    }

    func open(_ message: SealedMessage, _ header: MessageHeader, with known: KnownKeys) throws -> [UInt8] {
        var cipher = cipher()
        return try cipher.open(message, header, with: known)
    }

    /// - Parameter first: the secret key is this byte and the 31 that follow it.
    init(_ user: String, _ device: String, first: UInt8) throws {
        address = DeviceAddress(user: try #require(UserID(user)), device: try #require(DeviceID(device)))
        keys = try keyPair(first: first)
    }

    static func alice() throws -> Party { try Party("alice", "phone", first: 1) }
    static func bob() throws -> Party { try Party("bob", "phone", first: 33) }
    static func carol() throws -> Party { try Party("carol", "tablet", first: 65) }
}

/// The key pair whose secret is `first` and the 31 bytes that follow it.
func keyPair(first: UInt8) throws -> IdentityKeyPair {
    let secret = (0..<32).map { first &+ $0 }
    return try IdentityKeyPair(secret: SecretBytes(copying: secret.span))
}

/// The content that the known answers hold.
let hello = Array(#"{"text":"Hello"}"#.utf8)

extension MessageHeader {
    /// One with every field.
    static func full(_ suite: Suite.Bound, from sender: Party) throws -> MessageHeader {
        MessageHeader(
            suite: suite, conversation: ConversationID("7f310000-0000-4000-8000-000000000002"),
            id: MessageID("0b0c0000-0000-4000-8000-000000000001"), sender: sender.address, type: .text,
            replyTo: MessageID("0b0c0000-0000-4000-8000-000000000003"), kind: .edit,
            target: MessageID("0b0c0000-0000-4000-8000-000000000004"), expiresIn: 3600)
    }
}

/// Whether a message carries `recipient_keys`.
enum Addressing: CaseIterable, Sendable {
    case one, devices

    func recipients(_ parties: Party...) -> Recipients {
        switch self {
        case .one: .one(parties[0].key)
        case .devices: .devices(parties.map { ($0.address, $0.key) })
        }
    }
}

/// Every way to seal a message.
struct Way: Sendable, CustomTestStringConvertible {
    let suite: Suite.Bound
    let addressing: Addressing

    static let all = Suite.Bound.allCases.flatMap { suite in
        Addressing.allCases.filter { suite != .groupBox || $0 == .devices }.map { Way(suite: suite, addressing: $0) }
    }

    var testDescription: String { "\(suite.rawValue), \(addressing)" }
}

extension SealedMessage {
    /// The same with other parts.
    func with(suite: Suite.Bound? = nil, nonce: [UInt8]? = nil, content: [UInt8]? = nil) -> SealedMessage {
        SealedMessage(
            suite: suite ?? self.suite, nonce: nonce ?? self.nonce, content: content ?? self.content,
            recipientKeys: recipientKeys)
    }

    /// The same for other devices.
    func with(recipientKeys: [RecipientKey]?) -> SealedMessage {
        SealedMessage(suite: suite, nonce: nonce, content: content, recipientKeys: recipientKeys)
    }

    /// The same with another key for a device.
    func with(encryptedKey: [UInt8], for address: DeviceAddress) -> SealedMessage {
        with(
            recipientKeys: recipientKeys?.map {
                $0.address == address ? RecipientKey(address: address, encryptedKey: encryptedKey) : $0
            })
    }

    func encryptedKey(for address: DeviceAddress) -> [UInt8]? {
        recipientKeys?.first { $0.address == address }?.encryptedKey
    }
}
