import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import Sodium
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Messages of old apps")
struct LegacyRecordTests {
    private static let alice = device("alice/phone")
    private static let bob = device("bob/phone")

    private let directory: TemporaryDirectory
    private let keyring: Keyring
    /// Of bob's old app.
    private let secret = try? X25519.SecretKey.generate()

    /// Alice's client, which has bob's key from the gateway's first listing.
    init() throws {
        directory = try TemporaryDirectory()
        let own = try DeviceKeySet.generate(for: Self.alice)
        let peers = try PeerKeys(in: directory.directory(of: Self.alice), storageKey: own.storageKey)
        keyring = Keyring(own: own, peers: peers)
        _ = try keyring.merge(listing("bob", [published("phone", try #require(try key))]), now: .now)
    }

    private var key: IdentityKey? { get throws { IdentityKey(try #require(secret).publicKey.bytes) } }

    private var direct: ConversationID {
        get throws { try #require(ConversationID.direct(Self.alice.user, Self.bob.user)) }
    }

    /// What bob's old app has sealed for alice, as the gateway delivers it.
    private func record(
        _ content: [UInt8] = textJSON("Hello"), kind: RecordKind = .message, type: MessageType = .text,
        by sender: DeviceAddress = bob, in conversation: ConversationID? = nil, for keys: [RecipientKey]? = nil,
        replyTo: MessageID? = nil
    ) throws -> MessageRecord {
        let shared = try Box.SharedKey(
            between: try #require(secret), and: X25519.PublicKey(keyring.own.identityKey.bytes))
        let nonce = try RandomBytes.make(count: Box.nonceLength)
        return MessageRecord(
            id: .random(), conversation: try conversation ?? direct, epoch: "e", seq: 1, kind: .known(kind),
            target: kind == .message ? nil : .random(), sender: sender, type: .known(type),
            suite: .known(.legacyNaClBox), content: try shared.seal(content.span, nonce: nonce.span), nonce: nonce,
            recipientKeys: keys, replyTo: replyTo, createdAt: Timestamp(milliseconds: 0))
    }

    private func shown(_ record: MessageRecord) -> ChatMessage {
        ChatMessage(KeptMessage(record: record)) { keyring.open($0, among: []) }
    }

    private func failure(_ record: MessageRecord) -> OpeningError? {
        if case .unreadable(let failure) = shown(record).content { failure } else { nil }
    }

    // MARK: Opened

    @Test("one of the other member of a conversation of two is opened, and marked")
    func opened() throws {
        let message = shown(try record())
        #expect(message.plainText == "Hello")
        #expect(message.protection == .legacy && message.suite == .known(.legacyNaClBox))
    }

    @Test("whatever the gateway says of it beside, it opens: that is what the mark is for")
    func unproved() throws {
        let first = try record(replyTo: .random())
        var second = first
        (second.epoch, second.seq) = ("other", 9)
        for record in [first, second] {
            #expect(shown(record).plainText == "Hello" && shown(record).protection == .legacy)
        }
    }

    @Test("a message in any other form is bound", arguments: ParleyProtocol.Suite.Bound.allCases)
    func bound(suite: ParleyProtocol.Suite.Bound) {
        #expect(ChatMessage.Protection(suite.suite) == .bound)
        #expect(ChatMessage.Protection(.legacyNaClBox) == .legacy)
    }

    @Test(
        "bare text is the text of a text message",
        arguments: [
            ("See you at six", "See you at six"), ("", ""), ("{}", "{}"), ("Grüße \n👋", "Grüße \n👋"),
            (#"{"text":"a","more":1}"#, "a"),
        ])
    func bareText(sealed: String, text: String) throws {
        #expect(shown(try record(Array(sealed.utf8))).plainText == text)
    }

    @Test("what is neither text nor a valid content is refused", arguments: [[0], [0xFF], [0x61, 0]] as [[UInt8]])
    func badContent(sealed: [UInt8]) throws { #expect(failure(try record(sealed)) == .badContent) }

    @Test("bare text is no content of another type")
    func bareTextOfCard() throws { #expect(failure(try record(Array("text".utf8), type: .image)) == .badContent) }

    @Test("a nacl-box of the same two keys, delivered as one, is no content")
    func relabelled() throws {
        let header = MessageHeader(
            suite: .naclBox, conversation: try direct, id: .random(), sender: Self.bob, type: .text)
        var sender = MessageCipher(
            device: Self.bob, current: try IdentityKeyPair(secret: try #require(secret).bytes))
        let sealed = try sender.seal(textJSON("Hello"), header, for: .one(keyring.own.identityKey))
        let record = MessageRecord(
            id: header.id, conversation: header.conversation, epoch: "e", seq: 1, sender: Self.bob,
            type: .known(.text), suite: .known(.legacyNaClBox), content: sealed.content, nonce: sealed.nonce,
            createdAt: Timestamp(milliseconds: 0))
        #expect(failure(record) == .badContent)
    }

    // MARK: Refused

    @Test("a change in that form is refused: it could put repeated words in the place of a message that is bound")
    func changes() throws {
        for kind in [RecordKind.edit, .reaction] {
            let record = try record(kind: kind)
            #expect(failure(record) == .notBound)
            var target = KeptMessage(record: .sample(id: try #require(record.target), in: try direct, by: Self.bob))
                .opened(textJSON("bound"))
            var change = KeptMessage(record: record)
            if case .success(let content) = keyring.open(record, among: []) { change = change.opened(content) }
            _ = target.apply(change)
            #expect(target.shownContent == textJSON("bound") && target.changes.isEmpty)
        }
    }

    @Test("in another conversation than that of the two it is refused")
    func elsewhere() throws {
        #expect(failure(try record(in: .random())) == .notBound)
        let other = try #require(ConversationID.direct(Self.alice.user, UserID(validated: "carol")))
        #expect(failure(try record(in: other)) == .notBound)
    }

    @Test("under the user's own name it is refused, on every device: what opens there is the other's, reflected")
    func reflected() throws {
        for own in ["alice/phone", "alice/laptop"] {
            #expect(failure(try record(by: device(own))) == .notBound)
        }
    }

    @Test("with a list of keys, or a key of another device of the sender's, it does not open")
    func otherKeys() throws {
        #expect(failure(try record(for: [])) == .malformed)
        #expect(failure(try record(by: device("bob/tablet"))) == .senderKeysUnknown)
        _ = try keyring.merge(
            listing("bob", [published("phone", try #require(try key)), published("tablet", TestKeys()[0])]), now: .now)
        #expect(failure(try record(by: device("bob/tablet"))) == .senderKeyChanged)
    }

    @Test("with a key that nobody has accepted it does not open, and that is the reason")
    func heldKey() throws {
        let other = try LegacyRecordTests()
        // Another phone of bob's, as this client has not accepted it.
        _ = try keyring.merge(listing("bob", [published("phone", try #require(try other.key))]), now: .now)
        let shared = try Box.SharedKey(
            between: try #require(other.secret), and: X25519.PublicKey(keyring.own.identityKey.bytes))
        let nonce = try RandomBytes.make(count: Box.nonceLength)
        let record = MessageRecord(
            id: .random(), conversation: try direct, epoch: "e", seq: 1, sender: Self.bob, type: .known(.text),
            suite: .known(.legacyNaClBox), content: try shared.seal(textJSON("Hello").span, nonce: nonce.span),
            nonce: nonce, createdAt: Timestamp(milliseconds: 0))
        #expect(failure(record) == .senderKeyChanged)
        _ = try keyring.accept(try #require(keyring.book.presented(of: Self.bob.user)))
        #expect(shown(record).plainText == "Hello" && shown(record).protection == .legacy)
    }

    // MARK: Kept

    @Test("the mark is kept with the message, opened or not, edited or not, and with one that an older version kept")
    func kept() throws {
        let record = try record()
        let sealed = KeptMessage(record: record)
        var edited = sealed.opened(textJSON("Hello"))
        edited.changes.edit = MessageChanges.Edit(
            position: ChapterPosition(chapter: 0, seq: 9), at: record.createdAt, content: textJSON("At seven"))
        for message in [sealed, sealed.opened(textJSON("Hello")), edited] {
            let stored = try #require(KeptMessage(payload: message.stored(for: Self.alice.user).payload))
            let shown = ChatMessage(stored) { keyring.open($0, among: []) }
            #expect(shown.protection == .legacy && shown.plainText != nil)
        }
    }

    @Test("an unopened message that comes in a new epoch is what it was opened as, with that header and mark")
    func moved() throws {
        let store = try DeviceStore.inMemory(device: Self.alice)
        let sealed = MessageRecord.sample(
            3, in: try direct, epoch: "old", by: Self.bob, sealed: [1, 2, 3], replyTo: .random())
        var first = [KeptMessage(record: sealed)]
        _ = try store.write { try $0.save(&first, of: Self.alice, chapter: 0) }
        let record = MessageRecord(
            id: sealed.id, conversation: sealed.conversation, epoch: "new", seq: 1, sender: Self.bob,
            type: .known(.text), suite: .known(.legacyNaClBox), content: [1], nonce: [2], createdAt: sealed.createdAt)
        var second = [KeptMessage(record: record).opened(textJSON("Hello"))]
        _ = try store.write { try $0.save(&second, of: Self.alice, chapter: 1) }
        let kept = try store.read { KeptMessage(try $0.message(sealed.id, in: sealed.conversation)) }
        let shown = ChatMessage(try #require(kept)) { keyring.open($0, among: []) }
        #expect(shown.plainText == "Hello" && shown.protection == .legacy && shown.replyTo == nil)
    }
}
