import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What an operator is told of a message from alice to bob and carol.
@Suite("What became of a message", .onEveryStore)
struct PushReportTests {
    private let test: TestWriter
    private let reader: Reader
    private let people = ConnectedPeople()
    private let published = PublishedPosition()
    private let conversation: ConversationID
    private let message = MessageID(UUIDValue(high: 5, low: 1))
    private let operatorDevice = device("operator", "console")

    init() throws {
        test = try TestWriter()
        conversation = try test.conversation(["alice", "bob", "carol"])
        test.carryOut([try send(conversation, id: message)])
        reader = try test.reader(people: people, publishedThrough: published)
    }

    private func ask(
        _ kind: any Query.Type, _ json: String, by device: DeviceAddress? = nil, now: Timestamp = at(0)
    ) throws -> JSONObject {
        let outgoing = reader.answer(try request(kind, json, from: device ?? operatorDevice), now: now)
        return try JSONObject(parsing: try #require(try outgoing.published.first).payload)
    }

    private func trace(_ id: UUIDValue) throws -> MessageTrace {
        let reply = try ask(TraceMessage.self, #"{"id":"\#(MessageID(id))"}"#)
        return try MessageTrace(reading: try #require(try reply.object("data")))
    }

    private func explain(_ user: UserID, message: MessageID? = nil, now: Timestamp = at(0)) throws -> PushExplanation {
        let reply = try ask(
            ExplainPush.self, #"{"message_id":"\#(message ?? self.message)","user_id":"\#(user)"}"#, now: now)
        return try PushExplanation(reading: try #require(try reply.object("data")))
    }

    private func code(_ kind: any Query.Type, _ json: String, by device: DeviceAddress? = nil) throws -> String? {
        try ask(kind, json, by: device).object("error")?.text("code", maximum: 64)
    }

    private func decided(_ decision: String, of user: UserID, device: DeviceID? = nil) throws -> PushTrace {
        let trace = PushTrace(
            id: .random(), message: message, user: user, device: device, provider: device.map { _ in .apns },
            type: .message, decision: decision, decidedAt: at(5))
        try test.pushes.write { try $0.traces.insert([trace], removal: at(.days(7))) }
        return trace
    }

    private func perform(_ kind: any Command.Type, _ json: String, by user: UserID, now: Timestamp = at(0)) throws {
        test.carryOut([try request(kind, json, from: device(user, "phone"))], now: now)
    }

    private var receipt: String { #"{"conversation_id":"\#(conversation)","message_id":"\#(message)"}"# }

    /// The events of messages are decided elsewhere.
    private func removeEvents() throws { try test.execute("DELETE FROM push_events") }

    // MARK: Trace

    @Test("a trace tells when a message was accepted, published, received and read")
    func traceOfMessage() throws {
        let accepted = try trace(message.value)
        #expect(accepted.message?.conversation == conversation && accepted.message?.sender == "alice")
        #expect(accepted.message?.isPublished == false && accepted.message?.seq == 1)
        #expect(accepted.members.map(\.user) == ["bob", "carol"])
        #expect(accepted.members.allSatisfy { $0.deliveredAt == nil && $0.readAt == nil })
        try perform(MarkDelivered.self, receipt, by: "carol", now: at(10))
        try perform(MarkRead.self, receipt, by: "bob", now: at(20))
        published.set(1)
        let later = try trace(message.value)
        #expect(later.message?.isPublished == true)
        #expect(
            later.members == [
                TracedMember(user: "bob", deliveredAt: at(20), readAt: at(20)),
                TracedMember(user: "carol", deliveredAt: at(10), readAt: nil),
            ])
    }

    @Test("what was read of earlier messages is nothing that is said of a later one")
    func traceOfLaterMessage() throws {
        try perform(MarkRead.self, receipt, by: "bob", now: at(20))
        let second = MessageID.random()
        test.carryOut([try send(conversation, id: second)])
        #expect(try trace(second.value).members.allSatisfy { $0.deliveredAt == nil && $0.readAt == nil })
    }

    @Test("what was decided, sent and answered is found by the message and by the notification")
    func traceOfNotifications() throws {
        let topic = try decided("notify", of: "bob")
        let phone = try decided("notify", of: "bob", device: "phone")
        let muted = try decided("muted", of: "carol")
        try test.pushes.write { transaction in
            try transaction.traces.begin([phone.id], at: at(30))
            try transaction.traces.answer(phone.id, "accepted (200)", isUncertain: false, at: at(40))
        }
        let all = try trace(message.value)
        #expect(Set(all.pushes.map(\.id)) == [topic.id, phone.id, muted.id])
        #expect(all.pushes.map(\.user) == ["bob", "bob", "carol"])
        let one = try trace(phone.id.value)
        #expect(one.message?.id == message && one.pushes.count == 1)
        #expect(
            one.pushes.first
                == TracedPush(
                    id: phone.id, type: .known(.message), user: "bob", device: "phone", provider: .known(.apns),
                    decidedAt: at(5), decision: "notify", sentAt: at(30), attempts: 1, repeats: 0, answeredAt: at(40),
                    answer: "accepted (200)"))
    }

    @Test("nothing of a message's content is in a trace, and operators alone may ask")
    func traceIsForOperators() throws {
        let secret = MessageID.random()
        test.carryOut([try send(conversation, id: secret, text: "words that nobody else may see")])
        let outgoing = reader.answer(
            try request(TraceMessage.self, #"{"id":"\#(secret)"}"#, from: operatorDevice), now: at(0))
        let text = String(decoding: try #require(try outgoing.published.first).payload, as: UTF8.self)
        #expect(text.contains(secret.description))
        let sealed = Base64.encode(Array("words that nobody else may see".utf8))
        for planted in ["words", sealed, "nonce", "encrypted"] { #expect(!text.contains(planted)) }
        #expect(try code(TraceMessage.self, #"{"id":"\#(message)"}"#, by: device("alice", "phone")) == "forbidden")
        #expect(try code(TraceMessage.self, #"{"id":"\#(MessageID.random())"}"#) == "not_found")
        let json = #"{"message_id":"\#(message)","user_id":"bob"}"#
        #expect(try code(ExplainPush.self, json, by: device("bob", "phone")) == "forbidden")
    }

    // MARK: Explain

    @Test("an explanation says what was decided, and every fact of now in its order")
    func explanation() throws {
        try removeEvents()
        _ = try decided("muted", of: "bob")
        let explained = try explain("bob")
        #expect(
            explained.verdict.decision == "skip" && explained.verdict.reason == "muted" && explained.decidedAt == at(5))
        #expect(explained.verdict.says == "They were not notified. They have muted the conversation.")
        #expect(explained.now == PushVerdict(decision: "notify", reason: nil, says: "They are notified."))
        #expect(explained.facts.map(\.fact) == PushRules.Reason.allCases.map(\.rawValue) + ["quiet_hours"])
        #expect(explained.facts.allSatisfy { !$0.holds })
        #expect(explained.pushes.count == 1)
    }

    @Test("what is decided of somebody with no device registered says so")
    func noRegistration() throws {
        _ = try decided("notify", of: "bob")
        #expect(try explain("bob").verdict.says.contains("No device of theirs is registered"))
        _ = try decided("hold", of: "carol")
        #expect(try explain("carol").verdict.decision == "hold")
    }

    @Test("where nothing was written it is said why")
    func nothingWritten() throws {
        people.replace(with: ["carol"], unknownSince: at(0))
        #expect(try explain("bob").verdict.says == "It is yet to be decided.")
        try removeEvents()
        let connected = try explain("carol")
        #expect(connected.verdict.decision == "none" && connected.decidedAt == nil && connected.pushes.isEmpty)
        #expect(connected.verdict.says == "A device of theirs was connected when it came: nothing is written of that.")
        #expect(connected.now.reason == "connected")
        #expect(
            connected.facts.last { $0.holds }?.detail
                == "a device of theirs is connected: yes; the setting push_always: no")
        #expect(try explain("alice").verdict.says == "They have sent it themselves.")
        #expect(try explain("alice").now.reason == "own")
        try test.addPeople(["dave"])
        #expect(try explain("dave").now.reason == "not_member")
        #expect(try explain("bob", now: at(.days(8))).verdict.says.contains("push_trace_days"))
    }

    @Test("the facts are those of now: read, muted, blocked, deleted, in quiet hours")
    func factsOfNow() throws {
        try removeEvents()
        func now(_ user: UserID) throws -> String? { try explain(user).now.reason }
        func mute(_ isMuted: Bool) throws {
            let json = #"{"conversation_id":"\#(conversation)","is_muted":\#(isMuted)}"#
            try perform(UpdateConversation.self, json, by: "bob")
        }
        try mute(true)
        try perform(Block.self, #"{"user_id":"alice"}"#, by: "carol")
        #expect(try now("bob") == "muted" && now("carol") == "blocked")
        try perform(ProfileChange.self, #"{"quiet_hours":{"from":"00:00","to":"23:59"}}"#, by: "bob")
        try mute(false)
        let quiet = try explain("bob")
        #expect(quiet.now.decision == "hold" && quiet.facts.last?.holds == true)
        try perform(MarkRead.self, receipt, by: "bob")
        #expect(try now("bob") == "already_read")
        try delete(.random())
        #expect(try now("bob") == "gone")
    }

    private func delete(_ id: MessageID) throws {
        let json = #"{"id":"\#(id)","conversation_id":"\#(conversation)","message_id":"\#(message)"}"#
        try perform(DeleteMessage.self, json, by: "alice")
    }

    @Test("of what nobody is notified nothing is explained")
    func notExplained() throws {
        func refusal(_ message: MessageID, _ user: UserID = "bob") throws -> String? {
            try code(ExplainPush.self, #"{"message_id":"\#(message)","user_id":"\#(user)"}"#)
        }
        #expect(try refusal(.random()) == "not_found")
        #expect(try refusal(message, "nobody") == "not_found" && refusal(message, "operator") == "not_found")
        let deletion = MessageID.random()
        try delete(deletion)
        #expect(try refusal(deletion) == "bad_request")
    }
}
