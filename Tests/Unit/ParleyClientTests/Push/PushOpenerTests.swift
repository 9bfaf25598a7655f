import TestSupport
import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import Sodium
import Testing

@testable import ParleyClient

@Suite("A push, opened without a client")
struct PushOpenerTests {
    private let house: PushFixture

    init() throws { house = try PushFixture() }

    @Test("a message shows its sender, its text and where to go, and nothing is written for it")
    func message() throws {
        let record = try house.record()
        let before = try house.directory.entries
        let push = house.push(record)
        let opened = try house.open(push)
        #expect(opened.id == push.id && opened.text == "See you at six")
        #expect(opened.pushed?.sender == house.bob && opened.pushed?.isSenderVerified == false)
        #expect(opened.pushed?.isRead == false && opened.pushed?.message.id == record.id)
        #expect(
            opened.position
                == OpenedPush.Position(
                    conversation: house.conversation, epoch: house.epoch, seq: 42, message: record.id))
        #expect(opened.link?.description == "parley://conversation/\(house.conversation)")
        #expect(opened.badge == Badge(count: 3, at: house.now))
        #expect(try house.directory.entries == before)
    }

    @Test("the object of the topic, and one in which only this device's key is left, say the same")
    func forms() throws {
        let record = try house.record(for: [device("alice/laptop"), house.alice, device("alice/tv")])
        let push = house.push(record)
        let event = jsonBytes { push.writeEvent(to: &$0) }
        #expect(try house.opener.open(push: event).text == "See you at six")
        let whole = push.json(fitting: .max)
        let trimmed = push.json(fitting: whole.count - 1)
        #expect(trimmed.count < whole.count)
        #expect(try house.opener.open(push: trimmed).text == "See you at six")
        #expect(try house.opener.open(push: push.json(fitting: 600)).unopened == .reference)
    }

    @Test("a message of an old app is opened with its mark, and in another conversation not at all")
    func oldApp() throws {
        let shared = try Box.SharedKey(
            between: X25519.SecretKey(house.others.identity.secret), and: X25519.PublicKey(house.own.identityKey.bytes))
        let nonce = try RandomBytes.make(count: Box.nonceLength)
        let sealed = try shared.seal(textJSON("See you at six").span, nonce: nonce.span)
        func opened(in conversation: ConversationID) throws -> OpenedPush {
            let record = MessageRecord(
                id: .random(), conversation: conversation, epoch: house.epoch, seq: 42, sender: house.bob,
                type: .known(.text), suite: .known(.legacyNaClBox), content: sealed, nonce: nonce, createdAt: house.now)
            let subject = NotificationSubject(conversation: conversation, seq: 42, message: record.id)
            return try house.open(house.push(record, subject: subject))
        }
        let direct = try opened(in: try #require(ConversationID.direct(house.alice.user, house.bob.user)))
        #expect(direct.text == "See you at six" && direct.pushed?.message.protection == .legacy)
        #expect(try opened(in: house.conversation).unopened == .sealed(.notBound))
        #expect(try house.open(house.push(house.record())).pushed?.message.protection == .bound)
    }

    @Test("a sender whom the person has compared shows as verified")
    func verified() throws {
        let account = try TestAccount()
        let house = try PushFixture()
        let carol = try DeviceKeySet.generate(for: device("carol/phone"))
        var peers = try PeerKeys(in: house.directory, storageKey: house.own.storageKey)
        _ = try peers.update(
            with: listing(
                "carol", account: account.key, [account.certified(carol.device, carol.identityKey, at: 1000)]))
        _ = try peers.accept(try #require(peers.book.presented(of: carol.device.user)), isCompared: true)
        let opened = try house.open(house.push(house.record(by: carol)))
        #expect(opened.text == "See you at six" && opened.pushed?.isSenderVerified == true)
    }

    @Test("a message that is kept says what it says now, not what was pushed")
    func kept() throws {
        let record = try house.record()
        var message = KeptMessage(record: record).opened(textJSON("See you at six"))
        message.changes.edit = MessageChanges.Edit(
            position: ChapterPosition(chapter: 0, seq: 43), at: house.now, content: textJSON("At seven"))
        try house.keep(message)
        #expect(try house.open(house.push(record)).text == "At seven")
        // Also where only the reference came, with the id or without.
        let byPlace = NotificationSubject(conversation: house.conversation, seq: 42)
        #expect(try house.open(house.push(nil, subject: byPlace)).text == "At seven")
        let byID = NotificationSubject(conversation: house.conversation, seq: 42, message: record.id)
        #expect(try house.open(house.push(nil, subject: byID)).text == "At seven")
        let other = NotificationSubject(conversation: house.conversation, seq: 41)
        #expect(try house.open(house.push(nil, subject: other)).unopened == .reference)
    }

    @Test("a message that is kept and could not be opened then is opened now that its key is known")
    func keptSealed() throws {
        let record = try house.record()
        try house.keep(KeptMessage(record: record))
        #expect(try house.open(house.push(nil)).text == "See you at six")
    }

    @Test("a message that was deleted meanwhile is not shown")
    func deleted() throws {
        let record = try house.record()
        var message = KeptMessage(record: record).opened(textJSON("See you at six"))
        message.changes.isRemoved = true
        message.empty()
        try house.keep(message)
        #expect(try house.open(house.push(record)).unopened == .deleted)
    }

    @Test("what was read already says so, in the epoch in which it was read", arguments: [(41, false), (42, true)])
    func read(upTo seq: Int, isRead: Bool) throws {
        let record = try house.record()
        try house.keep(readUpTo: seq)
        #expect(try house.open(house.push(record)).pushed?.isRead == isRead)
    }

    @Test("a running client has the database open, and the push is opened beside it")
    func besideClient() throws {
        let store = try house.store()
        try store.write {
            try $0.insert(KeptMessage(record: house.record("kept", seq: 1)).stored(for: house.alice.user))
        }
        #expect(try house.open(house.push(house.record())).text == "See you at six")
        #expect(
            try house.open(house.push(nil, subject: NotificationSubject(conversation: house.conversation, seq: 1))).text
                == "kept")
        try store.write { try $0.insert(KeptMessage(record: house.record(seq: 2)).stored(for: house.alice.user)) }
        try store.close()
    }

    @Test("types without a message are what they are", arguments: [PushType.digest, .test, .wakeUp, .clear])
    func types(type: PushType) throws {
        let opened = try house.open(house.push(nil, type: type))
        switch type {
        case .digest: #expect(opened.content == .digest)
        case .test: #expect(opened.content == .test)
        case .wakeUp: #expect(opened.content == .wakeUp)
        default: #expect(opened.content == .clear && opened.position?.seq == 42)
        }
        #expect(opened.badge?.count == 3)
    }

    @Test("what has come late is of no use, but still takes away what was read")
    func late() throws {
        let then = house.now.advanced(byMilliseconds: -1)
        #expect(try house.open(house.push(house.record(), expiresAt: then)).unopened == .expired)
        #expect(try house.open(house.push(nil, type: .clear, expiresAt: then)).content == .clear)
        let disappeared = try house.record(expiresAt: house.now)
        #expect(try house.open(house.push(disappeared)).unopened == .expired)
        let lasting = try house.record(expiresAt: house.now.advanced(byMilliseconds: 9000))
        #expect(try house.open(house.push(lasting)).text == "See you at six")
    }

    @Test("what comes into the feed leads to what it is about")
    func feed() throws {
        let challenge = ChallengeID.random()
        let push = house.push(
            nil, type: .feed(.challengeReceived),
            subject: NotificationSubject(conversation: house.conversation, challenge: challenge))
        let opened = try house.open(push)
        guard case .feed(let notification) = opened.content else { throw UnexpectedError(opened.content) }
        #expect(notification.id == push.id && notification.type == .known(.challengeReceived))
        #expect(opened.link == .challenge(challenge))
        let reaction = house.push(nil, type: .feed(.reaction))
        #expect(try house.open(reaction).link == .conversation(house.conversation))
    }

    @Test("a device that has no keys yet is told so, and none are made")
    func noKeys() throws {
        let place = try TemporaryDirectory()
        let directory = place.directory(of: house.alice)
        let opener = PushOpener(keys: FileKeyStore(in: directory), directory: directory)
        let payload = house.push(nil).json(fitting: .max)
        let error = #expect(throws: PushError.self) { try opener.open(push: payload) }
        guard case .noKeys(house.alice)? = error else { throw UnexpectedError(error) }
        #expect(throws: (any Error).self) { try directory.entries }
    }

    @Test("a database of another version, and one that is damaged, are errors that say so")
    func otherDatabase() throws {
        try house.keep()
        let good = try house.directory.bytes(house.directory.databasePath)
        func error() -> DeviceStoreError? {
            do throws(PushError) {
                _ = try house.opener.open(push: house.push(nil).json(fitting: .max))
                return nil
            } catch {
                if case .storage(let error) = error { return error }
                return nil
            }
        }
        #expect(error() == nil)
        var changed = good
        // The first name of a step, in the rows of the table that lists them.
        let step = try #require(changed.firstRange(of: Array("003".utf8)))
        changed.replaceSubrange(step, with: Array("993".utf8))
        try house.directory.overwrite(house.directory.databasePath, with: changed)
        guard case .tooNew? = error() else { throw UnexpectedError(error()) }
        try house.directory.overwrite(house.directory.databasePath, with: Array(good.prefix(1000)))
        #expect(error() == .damaged(path: house.directory.databasePath))
    }
}
