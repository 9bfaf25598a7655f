import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("The lines that tail prints")
struct EventLineTests {
    private func line(_ topic: String, _ payload: String, isRetained: Bool = false) throws -> String {
        EventLine(
            message: DeviceMessage(topicName: topic, payload: Array(payload.utf8), isRetained: isRetained),
            receivedAt: try #require(Timestamp("2026-01-15T09:30:00.123Z"))
        ).description
    }

    @Test("an event shows its time, its topic without the prefix, its type and its fields in their order")
    func event() throws {
        let line = try line(
            "parley/v1/users/alice/events",
            #"{"type":"conversation.created","data":{"id":"7f31","name":"Leg day","members":["alice","bob"],"count":2}}"#
        )
        #expect(
            line
                == #"09:30:00.123Z users/alice/events conversation.created id=7f31 name="Leg day" members=[alice, bob] count=2"#
        )
    }

    @Test("ciphertext is shown by its length, also inside other objects")
    func ciphertext() throws {
        let line = try line(
            "parley/v1/conversations/7f31/messages",
            #"""
            {"type":"message.new","data":{"seq":1,"encrypted_content":"AAECAwQFBgc=","nonce":"AAEC","recipient_keys":[
            {"user_id":"bob","device_id":"tv","encrypted_key":"AAEC"}],"last_message":{"encrypted_content":"AAEC"}}}
            """#)
        #expect(
            line
                == "09:30:00.123Z conversations/7f31/messages message.new seq=1 encrypted_content=<8 bytes> nonce=<3 bytes> "
                + "recipient_keys=<1 keys> last_message={encrypted_content=<3 bytes>}")
    }

    @Test("a message of an old app is marked")
    func oldApp() throws {
        func line(_ suite: String) throws -> String {
            try self.line(
                "parley/v1/conversations/7f31/messages", #"{"type":"message.new","data":{"suite":"\#(suite)","seq":1}}"#
            )
        }
        #expect(
            try line("legacy-nacl-box").hasSuffix(
                "suite=legacy-nacl-box (old app: not bound to this conversation) seq=1"))
        for suite in ["nacl-box", "other"] { #expect(try line(suite).hasSuffix("message.new suite=\(suite) seq=1")) }
    }

    @Test("a password is never shown")
    func secrets() throws {
        let line = try line(
            "parley/v1/down/operator/console/x", #"{"ok":true,"data":{"username":"alice","password":"s3cret"}}"#)
        #expect(line == "09:30:00.123Z down/operator/console/x ok=true data={username=alice password=<hidden>}")
    }

    @Test("what could move the cursor is made visible")
    func controlCharacters() throws {
        let line = try line(
            "parley/v1/gateway/status", "{\"type\":\"a\\u001b[2J\",\"data\":{\"b\":\"\\n\u{9B}\u{202E}\"}}")
        #expect(line == #"09:30:00.123Z gateway/status a\u{1b}[2J b=\u{a}\u{9b}\u{202e}"#)
    }

    @Test("a number is shown as it is, and retained messages are marked")
    func number() throws {
        let line = try line("parley/v1/gateway/stats/batches", "42", isRetained: true)
        #expect(line == "09:30:00.123Z gateway/stats/batches (retained) 42")
    }

    @Test("a long payload that is no object is cut")
    func longText() throws {
        let line = try line("parley/v1/gateway/stats/x", String(repeating: "a", count: 1000))
        #expect(line.hasSuffix("a… <1000 bytes>"))
        #expect(line.count < 300)
    }
}
