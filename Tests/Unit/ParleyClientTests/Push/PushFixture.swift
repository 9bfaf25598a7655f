import TestSupport
import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import Testing

@testable import ParleyClient

/// A phone of alice's that knows bob's phone, as a client has left it on the disk, and what is pushed to it.
struct PushFixture {
    let place: TemporaryDirectory
    let alice = device("alice/phone")
    let bob = device("bob/phone")
    let conversation = ConversationID.random()
    let epoch = "k3Jx9w"
    /// What the device's clock shows.
    let now = Timestamp(milliseconds: 1_800_000_000_000)
    let own: DeviceKeySet
    let others: DeviceKeySet

    init() throws {
        place = try TemporaryDirectory()
        own = try FileKeyStore(in: place.directory(of: alice)).keys()
        others = try DeviceKeySet.generate(for: bob)
        try pin([published("phone", others.identityKey)])
    }

    var directory: DeviceDirectory { place.directory(of: alice) }

    var opener: PushOpener {
        let now = now
        var opener = PushOpener(keys: FileKeyStore(in: directory), directory: directory)
        opener.now = { now }
        return opener
    }

    /// The gateway lists these devices of bob's.
    func pin(_ devices: [DeviceKeys], of user: String = "bob") throws {
        var peers = try PeerKeys(in: directory, storageKey: own.storageKey)
        _ = try peers.update(with: listing(user, devices))
    }

    /// The device's database, as a client opens it.
    func store() throws -> DeviceStore {
        try DeviceStore.open(path: directory.databasePath, device: alice, storageKey: own.storageKey)
    }

    /// Keeps what bob has written, opened, and up to where it was read.
    func keep(_ messages: KeptMessage..., readUpTo seq: Int = 0) throws {
        let store = try store()
        var followed = FollowedConversation(conversation)
        followed.log = ConversationLog(epoch: epoch, held: 1..<100)
        followed.unread.setCount(0, readSeq: seq, lastSeq: seq)
        try store.write { transaction in
            try transaction.save(followed.kept(own: alice.user))
            for message in messages { try transaction.insert(message.stored(for: alice.user)) }
        }
        try store.close()
    }

    /// What bob's phone has sealed for alice's.
    func record(
        _ text: String = "See you at six", seq: Int = 42, kind: RecordKind = .message, expiresAt: Timestamp? = nil,
        by keys: DeviceKeySet? = nil, for recipients: [DeviceAddress] = []
    ) throws -> MessageRecord {
        let keys = keys ?? others
        let created = now.advanced(byMilliseconds: -1000)
        let expiresIn = expiresAt.map { Int(($0.milliseconds - created.milliseconds) / 1000) }
        let header = MessageHeader(
            suite: .x25519AESGCM, conversation: conversation, id: .random(), sender: keys.device, type: .text,
            replyTo: nil, kind: kind, target: kind == .message ? nil : .random(), expiresIn: expiresIn)
        var cipher = MessageCipher(keys)
        let sealed = try cipher.seal(
            textJSON(text), header,
            for: recipients.isEmpty
                ? .one(own.identityKey) : .devices(recipients.map { ($0, own.identityKey) }))
        return MessageRecord(
            id: header.id, conversation: conversation, epoch: epoch, seq: seq, kind: .known(kind),
            target: header.target, sender: keys.device, type: .known(.text), suite: .known(.x25519AESGCM),
            content: sealed.content, nonce: sealed.nonce, recipientKeys: sealed.recipientKeys, expiresAt: expiresAt,
            createdAt: created)
    }

    /// What is pushed of a record.
    func push(
        _ record: MessageRecord?, type: PushType = .message, user: UserID? = nil, device: DeviceID? = nil,
        subject: NotificationSubject? = nil, epoch: String? = nil, expiresAt: Timestamp? = nil
    ) -> PushNotification {
        PushNotification(
            id: .random(), type: .known(type), user: user ?? alice.user, device: device ?? alice.device,
            subject: subject
                ?? NotificationSubject(
                    conversation: conversation, seq: record?.seq ?? 42, message: type == .message ? record?.id : nil),
            epoch: epoch ?? self.epoch, badge: .counted(3), badgeAt: now, createdAt: now,
            expiresAt: expiresAt ?? now.advanced(byMilliseconds: 60_000), message: record)
    }

    func open(_ push: PushNotification) throws -> OpenedPush { try opener.open(push: push.json(fitting: .max)) }
}

extension OpenedPush {
    var pushed: PushedMessage? { if case .message(let message) = content { message } else { nil } }

    var unopened: UnopenedPush? { if case .unopened(let reason) = content { reason } else { nil } }

    /// What is shown.
    var text: String? { pushed?.message.plainText }
}

extension ChatMessage {
    var plainText: String? {
        if case .opened(let content) = content, case .text(let text) = content.value { text } else { nil }
    }
}

func jsonBytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    write(&writer)
    return writer.finish()
}
