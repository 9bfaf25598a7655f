import ParleyProtocol
import Testing

@testable import parley_trials

@Suite("What was published after a cut is told from what came before")
struct BoundaryTests {
    private static let early = MessageID.random()
    private static let late = MessageID.random()
    private static let boundary: Boundary = {
        var boundary = Boundary()
        boundary.firstSeq = 7
        boundary.laterMessages = [late]
        boundary.laterUsers = [UserID(validated: "keeper")]
        boundary.laterToStop = [UserID(validated: "talker")]
        boundary.laterName = "after"
        boundary.revoked = [DeviceID(validated: "phone")]
        return boundary
    }()

    @Test(
        "each kind of event beside one of before",
        arguments: [
            (.record(early, seq: 6), false), (.record(early, seq: 7), true), (.record(late, seq: 1), true),
            (.receipt(UserID(validated: "talker"), seq: 6), false),
            (.receipt(UserID(validated: "talker"), seq: 8), true),
            (.receipt(UserID(validated: "keeper"), seq: 1), true),
            (.typing(UserID(validated: "talker"), isTyping: true), false),
            (.typing(UserID(validated: "talker"), isTyping: false), true),
            (.typing(UserID(validated: "keeper"), isTyping: true), true),
            (.info(name: "before"), false), (.info(name: nil), false), (.info(name: "after"), true),
            (.presence(UserID(validated: "keeper")), true), (.presence(UserID(validated: "talker")), false),
            (.deviceRevoked(DeviceID(validated: "phone")), true),
            (.deviceRevoked(DeviceID(validated: "tv")), false), (.other(type: "gateway.status"), false),
        ] as [(HeardEvent.Content, Bool)])
    func kinds(content: HeardEvent.Content, isLater: Bool) {
        #expect(Self.boundary.isLater(content) == isLater)
    }

    @Test(
        "an event is read as far as it tells of its time",
        arguments: [
            (
                #"{"type":"message.new","data":{"id":"0b0c0000-0000-4000-8000-000000000001","seq":4}}"#,
                "record(0b0c0000-0000-4000-8000-000000000001, seq: 4)"
            ),
            (#"{"type":"message.read","data":{"user_id":"a","seq":4}}"#, "receipt(a, seq: 4)"),
            (#"{"type":"typing.indicator","data":{"user_id":"a","is_typing":true}}"#, "typing(a, isTyping: true)"),
            (#"{"type":"conversation.updated","data":{"name":"x","last_seq":3}}"#, #"info(name: Optional("x"))"#),
            (#"{"type":"later.kind","data":{}}"#, #"other(type: "later.kind")"#), ("[]", #"other(type: "nothing")"#),
        ])
    func reading(json: String, expected: String) {
        let event = HeardEvent(topic: "t", payload: Array(json.utf8), at: 1)
        #expect("\(event.content)" == expected)
    }
}
