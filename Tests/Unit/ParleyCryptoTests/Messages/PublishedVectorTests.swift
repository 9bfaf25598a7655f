import Foundation
import ParleyCrypto
import ParleyProtocol
import Sodium
import TestSupport
import Testing

/// The values that `docs/vectors` gives to clients in other languages. Tests/Interop/PythonDevice/vectors.py makes
/// them.
@Suite("docs/vectors")
struct PublishedVectorTests {
    private let devices: [String: DeviceVector]

    init() throws {
        let file = try Self.read("devices", as: [String: [DeviceVector]].self)
        let listed = try #require(file["devices"])
        devices = Dictionary(uniqueKeysWithValues: listed.map { ("\($0.userId)/\($0.deviceId)", $0) })
    }

    private static func read<Value: Decodable>(_ name: String, as _: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(
            Value.self, from: Data(contentsOf: Document.folder.appending(path: "vectors/\(name).json")))
    }

    @Test("direct conversations have these ids, and topics these names")
    func names() throws {
        let names = try Self.read("names", as: NameVectors.self)
        for pair in names.directConversations {
            let users = try pair.users.map { try #require(UserID($0)) }
            let digest = try SHA256.hash(ConversationID.directPreimage(users[0], users[1]).span)
            #expect(UUIDValue.nameBased(digest: digest).map { "\(ConversationID($0))" } == pair.conversationId)
        }
        for topic in names.topics { #expect(Topic(topic.topic)?.name == topic.topic, "\(topic.what)") }
        #expect(names.directConversations.count == 5 && names.topics.count == 16)
    }

    @Test("devices have these keys, signatures and certificates")
    func keys() throws {
        #expect(devices.count == 3)
        for device in devices.values {
            let address = try device.address()
            #expect(try device.keys().publicKey.bytes == hex(device.identityKey))
            #expect(KeyID(naming: hex(device.identityKey))?.bytes == hex(device.keyId))
            let signing = try Ed25519.SigningKey(seed: SecretBytes(copying: hex(device.signingSeed).span))
            #expect(signing.publicKey.bytes == hex(device.signingKey))
            let signed = DeviceKeys.signaturePreimage(address, identityKey: hex(device.identityKey))
            #expect(try signing.sign(signed.span) == hex(device.signature))
            let account = try device.account()
            #expect(account.publicKey.bytes == hex(device.accountKey))
            let issuedAt = try #require(Timestamp(device.issuedAt))
            #expect(issuedAt.milliseconds == device.issuedAtMilliseconds)
            let (identity, verifying) = (hex(device.identityKey), hex(device.signingKey))
            let bytes = DeviceCertificate.preimage(
                address, identityKey: identity, signingKey: verifying, issuedAt: issuedAt)
            #expect(bytes == hex(device.certifiedBytes))
            let certificate = try account.certify(address, identityKey: identity, signingKey: verifying, at: issuedAt)
            #expect(certificate.signature == hex(device.certificate))
        }
    }

    @Test("records are bound to these headers, opened by each recipient and sealed to the same bytes")
    func messages() throws {
        let file = try Self.read("messages", as: [String: [MessageVector]].self)
        let vectors = try #require(file["messages"])
        #expect(Set(vectors.map(\.record.suite)).count == 3)
        let sender = try #require(devices["alice/phone"])
        for vector in vectors {
            let header = try vector.record.header()
            #expect(header.bytes == hex(vector.header))
            let sealed = try vector.record.sealed()
            let recipients = try vector.recipients.map { try #require(devices[$0]) }
            for recipient in recipients {
                var cipher = try MessageCipher(device: recipient.address(), current: recipient.keys())
                let opened = try cipher.open(sealed, header, with: .ofSender([sender.key()]))
                #expect(opened == Array(vector.content.utf8))
            }
            let random = Recorded(hex(vector.random))
            var cipher = try MessageCipher(device: sender.address(), current: sender.keys()) { random.next($0) }
            let again = try cipher.seal(
                Array(vector.content.utf8), header,
                for: vector.record.recipientKeys == nil
                    ? .one(recipients[0].key()) : .devices(recipients.map { try ($0.address(), $0.key()) }))
            #expect(again.nonce == sealed.nonce && again.content == sealed.content)
            #expect(again.recipientKeys?.map(\.encryptedKey) == sealed.recipientKeys?.map(\.encryptedKey))
            #expect(random.isUsedUp)
            // What stands between the keys and the record, on the other side.
            let commitment = try BLAKE2b.hash((header.bytes + sealed.nonce + sealed.content).span, length: .bytes32)
            #expect(vector.commitment == nil || commitment == vector.commitment.map(hex))
        }
    }

    @Test("safety numbers, link codes and backups are these")
    func numbers() throws {
        let numbers = try Self.read("numbers", as: NumberVectors.self)
        let (alice, paula) = (UserID("alice"), UserID("paula"))
        for vector in numbers.safetyNumbers {
            let sides = try vector.accountKeys.indices.map { try vector.keys(at: $0) }
            let number = try #require(SafetyNumber(alice, sides[0], with: paula, sides[1]))
            #expect(number.digits == vector.number)
            #expect(vector.code == nil || vector.code == number.code)
        }
        for vector in numbers.linkCodes {
            let device = try #require(devices["\(vector.userId)/\(vector.deviceId)"])
            let offer = LinkOffer(
                identityKey: hex(vector.identityKey), signingKey: hex(vector.signingKey), linkKey: hex(vector.linkKey))
            #expect(try LinkCode(offer, of: device.address()).text == vector.code)
            #expect(try device.account().publicKey.groups(of: alice) == vector.groups)
        }
        for vector in numbers.backups {
            let recovery = try RecoveryKey(vector.recoveryText)
            #expect(recovery.groups.joined(separator: " ") == vector.recoveryText)
            let opened = try SealedAccount.open(hex(vector.blob), of: alice, with: recovery)
            #expect(opened.seed.withBytes { seed in (0..<seed.count).map { seed[$0] } } == hex(vector.accountSeed))
        }
    }
}

// MARK: The files

private struct NameVectors: Decodable {
    struct Pair: Decodable {
        let users: [String]
        let conversationId: String
    }

    struct Named: Decodable {
        let what: String
        let topic: String
    }

    let directConversations: [Pair]
    let topics: [Named]
}

private struct DeviceVector: Decodable {
    let userId: String
    let deviceId: String
    let identitySecret: String
    let identityKey: String
    let keyId: String
    let signingSeed: String
    let signingKey: String
    let signature: String
    let accountSeed: String
    let accountKey: String
    let issuedAt: String
    let issuedAtMilliseconds: Int64
    let certifiedBytes: String
    let certificate: String

    func address() throws -> DeviceAddress {
        DeviceAddress(user: try #require(UserID(userId)), device: try #require(DeviceID(deviceId)))
    }

    func keys() throws -> IdentityKeyPair {
        try IdentityKeyPair(secret: SecretBytes(copying: hex(identitySecret).span))
    }

    func key() throws -> IdentityKey { try #require(IdentityKey(hex(identityKey))) }

    func account() throws -> AccountSecret {
        try AccountSecret(seed: SecretBytes(copying: hex(accountSeed).span))
    }
}

private struct MessageVector: Decodable {
    let record: RecordVector
    let recipients: [String]
    let content: String
    let random: String
    let header: String
    let commitment: String?
}

private struct RecordVector: Decodable {
    struct Key: Decodable {
        let userId: String
        let deviceId: String
        let encryptedKey: Data
    }

    let id: String
    let conversationId: String
    let kind: String
    let targetId: String?
    let senderId: String
    let senderDeviceId: String
    let messageType: MessageType
    let suite: Suite.Bound
    let encryptedContent: Data
    let nonce: Data
    let recipientKeys: [Key]?
    let replyTo: String?
    let expiresAt: String?
    let createdAt: String

    func header() throws -> MessageHeader {
        let created = try #require(Timestamp(createdAt))
        let lifetime = try expiresAt.map { try Int(#require(Timestamp($0)).milliseconds - created.milliseconds) / 1000 }
        return MessageHeader(
            suite: suite, conversation: try #require(ConversationID(conversationId)), id: try #require(MessageID(id)),
            sender: DeviceAddress(user: try #require(UserID(senderId)), device: try #require(DeviceID(senderDeviceId))),
            type: messageType, replyTo: replyTo.flatMap { MessageID($0) },
            kind: try #require(RecordKind(rawValue: kind)), target: targetId.flatMap { MessageID($0) },
            expiresIn: lifetime)
    }

    func sealed() throws -> SealedMessage {
        SealedMessage(
            suite: suite, nonce: Array(nonce), content: Array(encryptedContent),
            recipientKeys: try recipientKeys?.map { key in
                RecipientKey(
                    address: DeviceAddress(
                        user: try #require(UserID(key.userId)), device: try #require(DeviceID(key.deviceId))),
                    encryptedKey: Array(key.encryptedKey))
            })
    }
}

private struct NumberVectors: Decodable {
    struct Safety: Decodable {
        let accountKeys: [String?]
        let identityKeys: [[String]?]?
        let number: String
        let code: String?

        func keys(at index: Int) throws -> SafetyNumber.Keys {
            if let key = accountKeys[index] { return .account(try #require(AccountKey(hex(key)))) }
            return .devices(try #require(identityKeys?[index]).map { try #require(IdentityKey(hex($0))) })
        }
    }

    struct Link: Decodable {
        let userId: String
        let deviceId: String
        let identityKey: String
        let signingKey: String
        let linkKey: String
        let code: String
        let groups: [String]
    }

    struct Backup: Decodable {
        let accountSeed: String
        let recoveryText: String
        let blob: String
    }

    let safetyNumbers: [Safety]
    let linkCodes: [Link]
    let backups: [Backup]
}
