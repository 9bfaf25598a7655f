import ParleyProtocol
import Testing

@Suite("What operators read about pushes")
struct PushReportTests {
    private static let time = "2026-01-15T09:30:00.000Z"
    private static let id = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"
    private static let other = "7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a"

    private func push(isAnswered: Bool) throws -> TracedPush {
        let time = try #require(Timestamp(Self.time))
        return TracedPush(
            id: try #require(NotificationID(Self.id)), type: .known(.message), user: UserID(validated: "bob"),
            device: isAnswered ? DeviceID(validated: "phone") : nil, provider: isAnswered ? .known(.apns) : nil,
            decidedAt: time, decision: "notify", sentAt: isAnswered ? time : nil, attempts: isAnswered ? 2 : 0,
            repeats: isAnswered ? 1 : 0, answeredAt: isAnswered ? time : nil, answer: isAnswered ? "200" : nil)
    }

    @Test("a trace is written and read with every field, and without a message")
    func traces() throws {
        let time = try #require(Timestamp(Self.time))
        let message = TracedMessage(
            id: try #require(MessageID(Self.id)), conversation: try #require(ConversationID(Self.other)),
            sender: UserID(validated: "alice"), acceptedAt: time, seq: 42, isPublished: true)
        let trace = MessageTrace(
            message: message, members: [TracedMember(user: UserID(validated: "bob"), deliveredAt: time, readAt: nil)],
            pushes: [try push(isAnswered: true), try push(isAnswered: false)])
        let text =
            #"{"message_id":"\#(Self.id)","conversation_id":"\#(Self.other)","sender_id":"alice","#
            + #""accepted_at":"\#(Self.time)","seq":42,"is_published":true,"#
            + #""members":[{"user_id":"bob","delivered_at":"\#(Self.time)","read_at":null}],"pushes":["#
            + #"{"id":"\#(Self.id)","type":"message","user_id":"bob","device_id":"phone","provider":"apns","#
            + #""decided_at":"\#(Self.time)","decision":"notify","sent_at":"\#(Self.time)","attempts":2,"repeats":1,"#
            + #""answered_at":"\#(Self.time)","answer":"200"},"#
            + #"{"id":"\#(Self.id)","type":"message","user_id":"bob","device_id":null,"provider":null,"#
            + #""decided_at":"\#(Self.time)","decision":"notify","sent_at":null,"attempts":0,"repeats":0,"#
            + #""answered_at":null,"answer":null}]}"#
        #expect(String(decoding: trace.json, as: UTF8.self) == text)
        #expect(try MessageTrace(json: trace.json) == trace)
        let bare = MessageTrace(message: nil, members: [], pushes: [])
        #expect(String(decoding: bare.json, as: UTF8.self) == #"{"members":[],"pushes":[]}"#)
        #expect(try MessageTrace(json: bare.json) == bare)
    }

    @Test("an explanation and what is tried are written and read with every field")
    func explanations() throws {
        let explanation = PushExplanation(
            message: try #require(MessageID(Self.id)), user: UserID(validated: "bob"),
            verdict: PushVerdict(decision: "skip", reason: "muted", says: "They were not notified."),
            decidedAt: Timestamp(Self.time),
            pushes: [try push(isAnswered: false)], now: PushVerdict(decision: "notify", reason: nil, says: "Yes."),
            facts: [PushFact(fact: "muted", holds: false, detail: "they have muted the conversation: no")])
        #expect(try PushExplanation(json: explanation.json) == explanation)
        let nothing = PushExplanation(
            message: explanation.message, user: explanation.user,
            verdict: PushVerdict(decision: "none", reason: nil, says: ""), decidedAt: nil, pushes: [],
            now: explanation.now, facts: [])
        #expect(try PushExplanation(json: nothing.json) == nothing)
        let tested = TestedPushes(devices: [
            TestedDevice(
                device: DeviceID(validated: "phone"), provider: .unknown("pigeon"),
                id: try #require(NotificationID(Self.id)))
        ])
        #expect(try TestedPushes(json: tested.json) == tested)
    }
}
