import ParleyDeviceStore
import ParleyProtocol
import Testing

@testable import ParleyClient

extension [UInt8] {
    fileprivate var marked: [UInt8] { ResentMark.put(on: self) }
}

@Suite("What is sealed anew")
struct ResendingTests {
    private static let alice = device("alice/phone")
    private static let bob = device("bob/phone")
    private static let id = MessageID.random()
    private static let conversation = ConversationID.random()

    /// One of Alice's, sealed; with keys for the devices if they are named.
    private static func sealed(for devices: [RecipientKey]? = nil) -> KeptMessage {
        KeptMessage(record: .sample(3, id: id, in: conversation, sealed: [1, 2, 3], for: devices))
    }

    private static func edit(_ seq: Int, _ content: [UInt8]) -> KeptMessage {
        KeptMessage(
            record: .sample(seq, in: conversation, kind: .edit, target: id, at: Int64(seq) * 1000), content: content)
    }

    @Test(
        "the mark joins any content, which is read as before",
        arguments: [(#"{"text":"a"}"#, #"{"resent":true,"text":"a"}"#), ("{}", #"{"resent":true}"#)])
    func mark(content: String, marked: String) {
        #expect(ResentMark.put(on: Array(content.utf8)) == Array(marked.utf8))
        #expect(ResentMark.isOn(Array(marked.utf8)) && !ResentMark.isOn(Array(content.utf8)))
    }

    @Test("whoever could not open a message reads what was sealed anew, and sees no edit")
    func unopened() {
        var message = Self.sealed()
        let isOther = message.apply(Self.edit(9, textJSON("first").marked))
        #expect(isOther && message.searchable?.text == "first" && message.changes.editedAt == nil)
        #expect(!message.isUnreadable(on: Self.bob))
        #expect(KeptMessage(payload: message.stored(for: Self.bob.user).payload) == message)
    }

    @Test("whoever could open it keeps what it said, whatever is sealed as if anew, and in whatever order")
    func opened() {
        let other = Self.edit(9, textJSON("other words").marked)
        var before = Self.sealed().opened(textJSON("first"))
        _ = before.apply(other)
        var after = Self.sealed()
        _ = after.apply(other)
        for message in [before, after.opened(textJSON("first"))] {
            #expect(message.shownContent == textJSON("first") && message.changes.editedAt == nil)
        }
    }

    @Test("a real edit counts before what was sealed anew, wherever it stands")
    func edited() {
        let resent = Self.edit(9, textJSON("first").marked)
        let edited = Self.edit(5, textJSON("second"))
        for changes in [[resent, edited], [edited, resent]] {
            var message = Self.sealed()
            for change in changes { _ = message.apply(change) }
            #expect(message.shownContent == textJSON("second"))
            #expect(message.changes.editedAt?.milliseconds == 5000)
        }
    }

    @Test("of two that are sealed as if anew the first stays, in whatever order they come")
    func twice() {
        let texts = [(9, "first"), (11, "other words")].map { Self.edit($0, textJSON($1).marked) }
        for changes in [texts, texts.reversed()] {
            var message = Self.sealed()
            for change in changes { _ = message.apply(change) }
            #expect(message.shownContent == textJSON("first").marked)
        }
    }

    @Test("a device answers for what it has written, not for what the log says that it has")
    func ownContent() {
        var message = Self.sealed().opened(textJSON("first"))
        #expect(message.ownContent == nil)
        message.isOwnWriting = true
        #expect(message.ownContent == textJSON("first"))
        var forged = message
        _ = forged.apply(Self.edit(5, textJSON("never written")))
        #expect(forged.shownContent == textJSON("never written") && forged.ownContent == nil)
        var own = Self.edit(5, textJSON("second"))
        own.isOwnWriting = true
        _ = message.apply(own)
        #expect(message.ownContent == textJSON("second"))
        #expect(KeptMessage(payload: message.stored(for: Self.alice.user).payload) == message)
    }

    @Test("what this device was to open is unread until it can be; what was for others, or left it out, is not")
    func unreadable() {
        #expect(Self.sealed().isUnreadable(on: Self.bob))
        #expect(!Self.sealed().isUnreadable(on: Self.alice))
        let key = RecipientKey(address: Self.bob, encryptedKey: [1])
        #expect(Self.sealed(for: [key]).isUnreadable(on: Self.bob))
        #expect(!Self.sealed(for: [.leftOut(Self.bob, keyID: nil)]).isUnreadable(on: Self.bob))
        #expect(!Self.sealed(for: []).isUnreadable(on: Self.bob))
        #expect(!Self.sealed().opened(textJSON("a")).isUnreadable(on: Self.bob))
    }

    @Test("the first place that cannot be read holds up those behind it; what can be read by now is forgotten")
    func places() {
        var places = UnopenedSeqs(seqs: [12, 4, 7])
        #expect(places.first(upTo: 3) { _ in true } == nil)
        #expect(places.first(upTo: 20) { $0 != 4 } == 7)
        #expect(places.seqs == [7, 12])
        #expect(places.first(upTo: 20) { _ in false } == nil && places.seqs.isEmpty)
    }

    @Test("what was done because a message could not be opened is kept with it, and with its draft")
    func kept() {
        var message = Self.sealed()
        message.resending = .answer
        message.sealedFor = [Self.bob.user]
        #expect(KeptMessage(payload: message.stored(for: Self.bob.user).payload) == message)
        var draft = Draft.sample("a", Draft.Change(kind: .edit, target: Self.id))
        draft.resending = .answer
        draft.onlyFor = [Self.bob.user]
        #expect(Draft(payload: draft.json) == draft)
    }
}
