import ParleyDeviceStore
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("What is kept of messages on the device")
struct KeptMessageTests {
    private let bob = UserID(validated: "bob")
    private let record = MessageRecord.sample(sealed: [1, 2, 3], replyTo: .random(), expiresAt: 5000, at: 1000)

    @Test("a sealed one comes back as it came, to be opened later")
    func sealed() throws {
        let message = KeptMessage(record: record)
        #expect(message.isSealed)
        #expect(message.searchable == nil)
        #expect(KeptMessage(payload: message.stored(for: bob).payload) == message)
        #expect(message.stored(for: bob).expiresAt == record.expiresAt)
    }

    @Test("an opened one comes back with its content and without the ciphertext")
    func opened() throws {
        let message = KeptMessage(record: record).opened(textJSON("Grüße"))
        #expect(message.isSealed == false)
        #expect(message.record.content == nil && message.record.nonce == nil)
        #expect(message.searchable == SearchableText(text: "Grüße", sentAt: record.createdAt))
        #expect(KeptMessage(payload: message.stored(for: bob).payload) == message)
    }

    @Test("whom the sender has left out is kept, sealed or opened")
    func leftOut() throws {
        let left = device("bob/tv")
        let keys = [
            RecipientKey(address: device("bob/phone"), encryptedKey: [1]), .leftOut(left, keyID: nil),
        ]
        let sealed = KeptMessage(record: .sample(sealed: [1, 2, 3], for: keys))
        for message in [sealed, sealed.opened(textJSON("Hello"))] {
            #expect(message.shownLeftOut == [left])
            #expect(KeptMessage(payload: message.stored(for: bob).payload)?.shownLeftOut == [left])
        }
    }

    @Test("a replay is kept in its place under an id of its own, and never opened")
    func replay() throws {
        let message = KeptMessage(record: record, isReplay: true)
        let id = MessageID.random()
        #expect(message.stored(for: bob, as: id).position.id == id)
        #expect(message.isSealed == false)
        #expect(KeptMessage(payload: message.stored(for: bob, as: id).payload) == message)
    }

    @Test("what is no kept message is none", arguments: ["", "{}", "[]", #"{"record":{}}"#, #"{"record":3}"#])
    func damaged(text: String) { #expect(KeptMessage(payload: Array(text.utf8)) == nil) }

    @Test("a draft comes back as it was written", arguments: [nil, Suite.Bound.groupBox])
    func draft(suite: Suite.Bound?) {
        let draft = Draft(
            type: .challenge, content: [0x7B, 0x7D], replyTo: .random(), expiresIn: 60, suite: suite,
            writtenAt: Timestamp(milliseconds: 1_700_000_000_123))
        #expect(Draft(payload: draft.json) == draft)
        var urgent = draft
        urgent.isUrgent = true
        #expect(Draft(payload: urgent.json) == urgent && urgent != draft)
        #expect(Draft(payload: Array(draft.json.dropLast())) == nil)
    }

    @Test(
        "why a message was set aside is read back",
        arguments: [
            SendError.noRecipientKeys, .weakRecipientKey, .uncertifiedRecipients, .tooManyDevices,
            .contentTooLarge(maximum: 9),
            .malformedReply, .damaged,
        ] + ErrorCode.allCases.map { .refused(Rejection($0, "Why.")) })
    func reason(reason: SendError) {
        #expect(SendError(kept: reason.kept) == reason)
        #expect(reason.description.isEmpty == false)
    }

    @Test("a reason that cannot be read is damage", arguments: ["", "{}", #"{"code":"something"}"#])
    func unreadableReason(text: String) { #expect(SendError(kept: text) == .damaged) }
}
