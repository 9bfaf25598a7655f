import ParleyDeviceStore
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("What becomes of a message", .seeded)
struct MessageChangesTests {
    private static let alice = device("alice/phone")
    private static let tablet = device("alice/tablet")
    private static let bob = device("bob/phone")
    private static let conversation = ConversationID.random()
    private static let id = MessageID.random()

    private static func record(
        _ seq: Int, _ kind: RecordKind, by sender: DeviceAddress, target: MessageID? = id, epoch: String = "e",
        in conversation: ConversationID = conversation, type: MessageType = .text
    ) -> MessageRecord {
        .sample(
            seq, id: kind == .message ? id : .random(), in: conversation, epoch: epoch, kind: kind,
            target: kind == .message ? nil : target, by: sender, type: type, at: Int64(seq) * 1000)
    }

    private static func message(_ type: MessageType = .text) -> KeptMessage {
        KeptMessage(record: record(3, .message, by: alice, type: type), content: textJSON("first"))
    }

    private static func edit(_ seq: Int, _ words: String, by sender: DeviceAddress = alice) -> KeptMessage {
        KeptMessage(record: record(seq, .edit, by: sender), content: textJSON(words))
    }

    private static func reaction(_ seq: Int, _ emoji: String, by sender: DeviceAddress) -> KeptMessage {
        KeptMessage(record: record(seq, .reaction, by: sender), content: Array(#"{"emoji":"\#(emoji)"}"#.utf8))
    }

    private static func deletion(_ seq: Int, by sender: DeviceAddress = alice) -> KeptMessage {
        KeptMessage(record: record(seq, .delete, by: sender))
    }

    @Test("the newest edit is shown, of whichever device of the sender's")
    func edits() {
        var message = Self.message()
        let took = [Self.edit(7, "third", by: Self.tablet), Self.edit(5, "second")].map { message.apply($0) }
        #expect(took == [true, false])
        #expect(message.shownContent == textJSON("third") && message.changes.edit?.at.milliseconds == 7000)
        #expect(message.content == textJSON("first"))
        #expect(message.searchable?.text == "third")
    }

    @Test("a reaction takes the place of the same user's last one; an empty one takes it back")
    func reactions() {
        var message = Self.message()
        for change in [
            Self.reaction(5, "👍", by: Self.bob), Self.reaction(4, "👎", by: Self.bob),
            Self.reaction(6, "❤️", by: Self.alice),
        ] { _ = message.apply(change) }
        #expect(message.changes.shownReactions == [Self.bob.user: "👍", Self.alice.user: "❤️"])
        let isOther = message.apply(Self.reaction(9, "", by: Self.bob))
        #expect(isOther && message.changes.shownReactions == [Self.alice.user: "❤️"])
        // The one that was taken back does not come back with an older record.
        let again = message.apply(Self.reaction(8, "👍", by: Self.bob))
        #expect(!again && message.changes.shownReactions == [Self.alice.user: "❤️"])
    }

    @Test("a deletion leaves nothing, and nothing comes after it")
    func deletions() {
        var message = Self.message()
        _ = message.apply(Self.edit(5, "second"))
        _ = message.apply(Self.reaction(6, "👍", by: Self.bob))
        let isOther = message.apply(Self.deletion(7))
        #expect(isOther && message.content == nil && message.shownContent == nil && message.changes.isRemoved)
        #expect(message.changes.shownReactions.isEmpty && message.searchable == nil)
        #expect(!message.counts(for: Self.bob.user))
        let later = [Self.edit(8, "back"), Self.reaction(9, "👍", by: Self.bob)].map { message.apply($0) }
        #expect(later == [false, false])
        #expect(KeptMessage(payload: message.stored(for: Self.bob.user).payload) == message)
    }

    @Test(
        "what somebody else edits or deletes, what is of another message, place or type, and what cannot be read: nothing"
    )
    func forged() {
        let unreadable = KeptMessage(record: Self.record(5, .edit, by: Self.alice), content: Array("{}".utf8))
        let sealed = KeptMessage(record: Self.record(5, .edit, by: Self.alice))
        var replay = Self.edit(5, "replayed")
        replay.isReplay = true
        for change in [
            Self.edit(5, "forged", by: Self.bob), Self.deletion(5, by: Self.bob), unreadable, sealed, replay,
            Self.edit(2, "before it was"),
            KeptMessage(record: Self.record(5, .edit, by: Self.alice, target: .random()), content: textJSON("x")),
            KeptMessage(record: Self.record(5, .edit, by: Self.alice, epoch: "f"), content: textJSON("x")),
            KeptMessage(record: Self.record(5, .delete, by: Self.alice, in: .random())),
            KeptMessage(record: Self.record(5, .edit, by: Self.alice, type: .file), content: textJSON("x")),
            KeptMessage(record: Self.record(5, .message, by: Self.alice), content: textJSON("x")),
            Self.reaction(5, String(repeating: "x", count: 65), by: Self.bob),
        ] {
            var message = Self.message()
            let isOther = message.apply(change)
            #expect(!isOther && message == Self.message())
        }
        var notice = Self.message(.system)
        let isOther = notice.apply(Self.deletion(5))
        #expect(!isOther)
    }

    @Test("in any order, and however often, it comes to the same, and is kept so")
    func orders() throws {
        var generator = Seeded(stream: 211)
        for _ in 0..<300 {
            var changes: [KeptMessage] = []
            for seq in 4..<(4 + Int.random(in: 1...10, using: &generator)) {
                let sender = generator.chance(0.5) ? Self.alice : Self.bob
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: changes.append(Self.deletion(seq, by: sender))
                case 1...3: changes.append(Self.edit(seq, "edit \(seq)", by: sender))
                default: changes.append(Self.reaction(seq, generator.chance(0.2) ? "" : "\(seq)", by: sender))
                }
            }
            var expected = Self.message()
            for change in changes { _ = expected.apply(change) }
            for _ in 0..<5 {
                var message = Self.message()
                for change in (changes + changes).shuffled(using: &generator) { _ = message.apply(change) }
                #expect(message == expected)
                #expect(KeptMessage(payload: message.stored(for: Self.bob.user).payload) == message)
            }
        }
    }

    @Test("changes that wait to be sent are shown, and are gone when they are withdrawn")
    func pending() {
        var pending = PendingChanges()
        func draft(_ kind: Draft.Kind, _ content: [UInt8]) -> Draft {
            Draft(
                type: .text, content: content, writtenAt: Timestamp(milliseconds: 9),
                change: Draft.Change(kind: kind, target: Self.id))
        }
        func shown() -> MessageChanges { pending.applied(to: MessageChanges(), of: Self.id, by: Self.alice.user) }
        let ids = (0..<3).map { _ in MessageID.random() }
        pending.add(ids[0], draft(.edit, textJSON("second")))
        pending.add(ids[1], draft(.reaction, Array(#"{"emoji":"👍"}"#.utf8)))
        #expect(shown().edit?.content == textJSON("second"))
        #expect(shown().shownReactions == [Self.alice.user: "👍"])
        pending.add(ids[2], draft(.delete, []))
        #expect(shown().isRemoved && shown().edit == nil)
        let targets = [ids[2], ids[0]].map { pending.remove($0) }
        #expect(targets == [Self.id, Self.id])
        #expect(!shown().isRemoved && shown().edit == nil && shown().shownReactions == [Self.alice.user: "👍"])
        let unknown = pending.remove(.random())
        #expect(unknown == nil)
    }
}
