import ParleyProtocol
import Testing

@Suite("The event on users/{uid}/presence")
struct PresenceUpdateTests {
    private let alice = UserID(validated: "alice")
    private let time = Timestamp(milliseconds: 1_768_469_400_000)

    private func read(_ json: String, on topic: Topic? = nil) throws -> PresenceUpdate? {
        try EventTable.read(Array(json.utf8), on: topic ?? .user(alice, .presence)) as? PresenceUpdate
    }

    @Test("is what the protocol says, and read back")
    func written() throws {
        let updates: [(PresenceUpdate, String)] = [
            (PresenceUpdate(user: alice, .online), #"{"user_id":"alice","state":"online"}"#),
            (PresenceUpdate(user: alice, .offline(lastSeen: nil)), #"{"user_id":"alice","state":"offline"}"#),
            (
                PresenceUpdate(user: alice, .offline(lastSeen: time)),
                #"{"user_id":"alice","state":"offline","last_seen":"2026-01-15T09:30:00.000Z"}"#
            ),
        ]
        for (update, data) in updates {
            let json = #"{"type":"presence.updated","data":\#(data)}"#
            #expect(String(decoding: JSONWriter.bytes { update.writeEvent(to: &$0) }, as: UTF8.self) == json)
            #expect(try read(json) == update)
        }
    }

    @Test("a state of a later version is kept by its name, and unknown keys are passed over")
    func later() throws {
        #expect(
            try read(
                #"{"type":"presence.updated","data":{"user_id":"alice","state":"away","mood":1,"last_seen":null}}"#)
                == PresenceUpdate(user: alice, state: .unknown("away"), lastSeen: nil))
    }

    @Test("on the topic of another, or a topic of another kind, it is not believed")
    func misplaced() {
        let json = #"{"type":"presence.updated","data":{"user_id":"alice","state":"online"}}"#
        #expect(throws: Never.self) { try read(json) }
        for topic: Topic in [.user(UserID(validated: "bob"), .presence), .user(alice, .events), .gatewayStatus] {
            #expect(throws: ReadingError.misplaced(type: "presence.updated")) { try read(json, on: topic) }
        }
    }

    @Test(
        "what lacks a field, or has another kind of it, is a fault",
        arguments: [
            "{}", #"{"user_id":"alice"}"#, #"{"state":"online"}"#, #"{"user_id":"a/b","state":"online"}"#,
            #"{"user_id":"alice","state":1}"#, #"{"user_id":"alice","state":"offline","last_seen":"yesterday"}"#,
        ])
    func faults(data: String) {
        #expect(throws: ReadingError.self) { try read(#"{"type":"presence.updated","data":\#(data)}"#) }
    }
}
