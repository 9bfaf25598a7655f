import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("A push that a lying gateway has made", .seeded)
struct HostilePushTests {
    private let house: PushFixture

    init() throws { house = try PushFixture() }

    @Test("what is for somebody else is nothing here, and its badge is not this one's")
    func somebodyElse() throws {
        let record = try house.record()
        for push in [
            house.push(record, user: house.bob.user), house.push(record, device: DeviceID(validated: "laptop")),
        ] {
            let opened = try house.open(push)
            #expect(opened.unopened == .notForThisDevice && opened.badge == nil && opened.link == nil)
        }
    }

    @Test("a message under another name, in another conversation or under another id is not shown")
    func moved() throws {
        let record = try house.record()
        let carol = try DeviceKeySet.generate(for: device("carol/phone"))
        try house.pin([published("phone", carol.identityKey)], of: "carol")
        let elsewhere = ConversationID.random()
        for moved in [
            record.with(sender: carol.device), record.with(conversation: elsewhere), record.with(id: .random()),
            record.with(sender: device("bob/laptop")),
        ] {
            let subject = NotificationSubject(conversation: moved.conversation, seq: moved.seq, message: moved.id)
            let reason = try house.open(house.push(moved, subject: subject)).unopened
            #expect(reason == .sealed(.notAuthentic) || reason == .sealed(.senderKeysUnknown), "\(moved.sender)")
        }
    }

    @Test("what it says of the message and what is in the message must be the same")
    func contradictory() throws {
        let record = try house.record()
        func subject(_ change: (inout NotificationSubject) -> Void) -> NotificationSubject {
            var subject = NotificationSubject(conversation: house.conversation, seq: 42, message: record.id)
            change(&subject)
            return subject
        }
        let pushes = [
            house.push(record, subject: subject { $0.conversation = .random() }),
            house.push(record, subject: subject { $0.conversation = nil }),
            house.push(record, subject: subject { $0.seq = 41 }), house.push(record, subject: subject { $0.seq = nil }),
            house.push(record, subject: subject { $0.message = .random() }), house.push(record, epoch: "other"),
            house.push(nil, type: .clear, subject: NotificationSubject(conversation: house.conversation)),
            house.push(nil, type: .clear, subject: NotificationSubject(seq: 42)),
        ]
        for push in pushes { #expect(try house.open(push).unopened == .contradictory) }
    }

    @Test("edits, and what the user or a device of theirs has written, are no messages to notify of")
    func noMessages() throws {
        #expect(try house.open(house.push(house.record(kind: .edit))).unopened == .contradictory)
        let laptop = try DeviceKeySet.generate(for: device("alice/laptop"))
        try house.pin([published("laptop", laptop.identityKey)], of: "alice")
        #expect(try house.open(house.push(house.record(by: laptop))).unopened == .contradictory)
    }

    @Test("a device that nobody knows, and one that waits to be accepted, are not believed because it was pushed")
    func keys() throws {
        let other = try DeviceKeySet.generate(for: house.bob)
        let mallory = try DeviceKeySet.generate(for: device("mallory/phone"))
        #expect(try house.open(house.push(house.record(by: mallory))).unopened == .sealed(.senderKeysUnknown))
        #expect(try house.open(house.push(house.record(by: other))).unopened == .sealed(.notAuthentic))
        let laptop = try DeviceKeySet.generate(for: device("bob/laptop"))
        try house.pin([published("phone", house.others.identityKey), published("laptop", laptop.identityKey)])
        let before = try PeerKeys(in: house.directory, storageKey: house.own.storageKey).book
        #expect(before.isHeld(laptop.device))
        #expect(try house.open(house.push(house.record(by: laptop))).unopened == .sealed(.senderKeyChanged))
        #expect(try house.open(house.push(house.record())).text == "See you at six")
        #expect(try PeerKeys(in: house.directory, storageKey: house.own.storageKey).book == before)
    }

    @Test("what is kept is not given up for what is pushed under its id")
    func keptStays() throws {
        let record = try house.record("the true words")
        try house.keep(KeptMessage(record: record).opened(textJSON("the true words")))
        let mallory = try DeviceKeySet.generate(for: device("mallory/phone"))
        try house.pin([published("phone", mallory.identityKey)], of: "mallory")
        let other = try house.record("other words", by: mallory).with(id: record.id)
        let opened = try house.open(house.push(other))
        #expect(opened.text == "the true words" && opened.pushed?.sender == house.bob)
    }

    @Test(
        "what is no notification is an error of its own, whatever it is",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"type":"message"}"#, #"{"data":{}}"#, #"{"data":7}"#, "\u{FEFF}{}",
            #"{"id":"x","type":"test","user_id":"alice"}"#,
            #"{"id":1,"id":1}"#, String(repeating: "[", count: 100_000),
        ])
    func noNotification(text: String) throws {
        let error = #expect(throws: PushError.self) { try house.opener.open(push: Array(text.utf8)) }
        let isOfPayload = if case .payload? = error { true } else { false }
        #expect(isOfPayload, "another error: \(String(describing: error))")
    }

    @Test("whatever bytes are changed, nothing is shown under bob's name but what bob has written")
    func changedBytes() throws {
        let payload = house.push(try house.record(for: [house.alice])).json(fitting: .max)
        #expect(try house.opener.open(push: payload).text == "See you at six")
        var random = Seeded(stream: 1307)
        var shown = 0
        for _ in 0..<3000 {
            var changed = payload
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: changed[place] = .random(in: 0...255, using: &random)
                case 1: changed.remove(at: place)
                case 2: changed.insert(.random(in: 0x20...0x7E, using: &random), at: place)
                default: changed[place] = UInt8(ascii: "0") + .random(in: 0...9, using: &random)
                }
            }
            guard let opened = try? house.opener.open(push: changed), let pushed = opened.pushed else { continue }
            shown += 1
            #expect(pushed.sender == house.bob && pushed.message.conversation == house.conversation)
            #expect(pushed.message.plainText == "See you at six")
        }
        // What the gateway decides anyway, such as times and numbers, can be changed.
        #expect(shown > 10)
    }
}

extension MessageRecord {
    /// The same bytes, as something else than they were sealed as.
    fileprivate func with(
        sender: DeviceAddress? = nil, conversation: ConversationID? = nil, id: MessageID? = nil
    ) -> MessageRecord {
        MessageRecord(
            id: id ?? self.id, conversation: conversation ?? self.conversation, epoch: epoch, seq: seq, kind: kind,
            target: target, sender: sender ?? self.sender, type: type, suite: suite, content: content, nonce: nonce,
            recipientKeys: recipientKeys?.value, replyTo: replyTo, expiresAt: expiresAt, createdAt: createdAt)
    }
}
