import Foundation
import ParleyCrypto
import ParleyProtocol
import Sodium
import Synchronization
import TestSupport
import Testing

/// Figures of an implementation in another language and on other libraries: Tests/Interop/PythonDevice/figures.py.
@Suite("What was sealed elsewhere")
struct SealedElsewhereTests {
    let figures: Figures

    init() throws {
        let file = Document.root.appending(path: "Tests/Interop/PythonDevice/figures.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        figures = try decoder.decode(Figures.self, from: Data(contentsOf: file))
    }

    @Test("is opened by each device that it was sealed for, and by its sender")
    func opens() throws {
        let sender = try #require(figures.devices.first)
        #expect(figures.messages.count == 12)
        for message in figures.messages {
            let header = try message.header(sealedAs: message.suite)
            #expect(header.bytes == hex(message.header))
            let sealed = try message.sealed()
            let recipients = figures.devices.dropFirst().prefix(message.recipientKeys?.count ?? 1)
            for recipient in recipients {
                var cipher = try recipient.cipher()
                #expect(try cipher.open(sealed, header, with: .ofSender([sender.key()])) == hex(message.content))
            }
            var own = try sender.cipher()
            let keys = try Dictionary(uniqueKeysWithValues: recipients.map { try ($0.address(), [$0.key()]) })
            #expect(try own.open(sealed, header, with: .ofRecipients(keys)) == hex(message.content))
        }
    }

    @Test("is sealed here to the same bytes, given the same nonces and content keys")
    func seals() throws {
        let sender = try #require(figures.devices.first)
        for message in figures.messages {
            let random = Recorded(hex(message.random))
            var cipher = try sender.cipher(random)
            let recipients = Array(figures.devices.dropFirst().prefix(message.recipientKeys?.count ?? 1))
            let sealed = try cipher.seal(
                hex(message.content), message.header(sealedAs: message.suite),
                for: message.recipientKeys == nil
                    ? .one(recipients[0].key()) : .devices(recipients.map { try ($0.address(), $0.key()) }))
            #expect(try sealed == message.sealed())
            #expect(random.isUsedUp)
        }
    }

    @Test("shows the same safety number, and is by devices known by the same keys")
    func safetyNumber() throws {
        let (alice, paula) = (UserID("alice"), UserID("paula"))
        let keys = try figures.devices.map { try $0.key() }
        let number = try #require(SafetyNumber(paula, .devices([keys[2], keys[1]]), with: alice, .devices([keys[0]])))
        #expect(number.digits == figures.safetyNumber)
        for device in figures.devices { #expect(try device.cipher().identityKey == device.key()) }
    }
}

/// The bytes that the other implementation drew, in its order.
final class Recorded: Sendable {
    private let rest: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { rest = Mutex(bytes) }

    var isUsedUp: Bool { rest.withLock(\.isEmpty) }

    func next(_ count: Int) -> [UInt8] {
        rest.withLock { rest in
            defer { rest.removeFirst(min(count, rest.count)) }
            return Array(rest.prefix(count))
        }
    }
}

struct Figures: Decodable {
    struct Device: Decodable {
        let userId: String
        let deviceId: String
        let secretKey: String
        let identityKey: String
    }

    struct Message: Decodable {
        struct RecipientKey: Decodable {
            let userId: String
            let deviceId: String
            let encryptedKey: String
        }

        let suite: Suite.Bound
        let conversationId: String
        let id: String
        let senderId: String
        let senderDeviceId: String
        let messageType: MessageType
        let replyTo: String?
        let expiresIn: Int?
        let nonce: String
        let encryptedContent: String
        let recipientKeys: [RecipientKey]?
        let header: String
        let content: String
        let random: String
    }

    let safetyNumber: String
    let devices: [Device]
    let messages: [Message]
}

extension Figures.Device {
    func address() throws -> DeviceAddress { try DeviceAddress(named: userId, deviceId) }

    func key() throws -> IdentityKey { try #require(IdentityKey(hex(identityKey))) }

    fileprivate func cipher(_ random: Recorded? = nil) throws -> MessageCipher {
        let keys = try IdentityKeyPair(secret: SecretBytes(copying: hex(secretKey).span))
        guard let random else { return try MessageCipher(device: address(), current: keys) }
        return try MessageCipher(device: address(), current: keys) { random.next($0) }
    }
}

extension Figures.Message {
    func header(sealedAs suite: Suite.Bound) throws -> MessageHeader {
        MessageHeader(
            suite: suite, conversation: try #require(ConversationID(conversationId)), id: try #require(MessageID(id)),
            sender: try DeviceAddress(named: senderId, senderDeviceId), type: messageType,
            replyTo: replyTo.flatMap { MessageID($0) }, expiresIn: expiresIn)
    }

    func sealed() throws -> SealedMessage {
        SealedMessage(
            suite: suite, nonce: hex(nonce), content: hex(encryptedContent),
            recipientKeys: try recipientKeys?.map { key in
                ParleyProtocol.RecipientKey(
                    address: try DeviceAddress(named: key.userId, key.deviceId), encryptedKey: hex(key.encryptedKey))
            })
    }
}

extension DeviceAddress {
    fileprivate init(named user: String, _ device: String) throws {
        self.init(user: try #require(UserID(user)), device: try #require(DeviceID(device)))
    }
}
