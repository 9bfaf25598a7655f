import ParleyProtocol
import ParleyWeb
import TestSupport
import Testing

@Suite("Responses of the API", .seeded)
struct APIResponseTests {
    private static let page = "conversations/\(APISample.conversation)/messages"

    @Test("an operation's reply is the body as it came")
    func reply() throws {
        let reply = APISample.accepted(#"{"x": [1]}"#)
        let response = try APISample.call("POST", "conversations/get", "{}").response(to: reply)
        #expect(response == APIResponse(status: 200, body: reply))
        #expect(response.headers.contains { $0.name == "Cache-Control" && $0.value == "no-store" })
    }

    @Test("a refusal is the body as it came, with the status of its code", arguments: ErrorCode.allCases)
    func refusals(code: ErrorCode) throws {
        var writer = JSONWriter()
        Reply.writeRejected(nil, Rejection(code, "Words.", retryAfterMilliseconds: 1001), to: &writer)
        let reply = writer.finish()
        for path in ["conversations/get", "messages", "conversations"] {
            let response = try APISample.call("POST", path, "{}").response(to: reply)
            #expect(response.status == code.httpStatus && response.body == reply)
            let isLater = code == .rateLimited || code == .unavailable
            #expect(response.retryAfterSeconds == (isLater ? 2 : nil))
        }
        #expect((400...599).contains(code.httpStatus))
        #expect(APIResponse(Rejection(code, "Words.", retryAfterMilliseconds: 1001)).body == reply)
    }

    @Test(
        "a wait is rounded up to seconds, and never none", arguments: [(nil, 1), (0, 1), (1, 1), (1000, 1), (1001, 2)])
    func waits(milliseconds: Int?, seconds: Int) {
        let response = APIResponse(Rejection(.rateLimited, "Words.", retryAfterMilliseconds: milliseconds))
        #expect(response.retryAfterSeconds == seconds && response.status == 429)
    }

    @Test("who is not signed in hears how to be")
    func challenge() {
        let headers = APIResponse(Rejection(.unauthenticated, "Words.")).headers
        #expect(headers.contains { $0.name == "WWW-Authenticate" && $0.value == "Bearer" })
    }

    @Test("a message is answered with the whole object, as history has it")
    func message() throws {
        let key = #"[{"user_id":"bob","device_id":"d","encrypted_key":"AAAAAAAAAAAAAAAAAAAAAA=="}]"#
        let body =
            #"{"conversation_id":"\#(APISample.conversation)","message_type":"text","suite":"nacl-box","#
            + #""encrypted_content":"AAAAAAAAAAAAAAAAAAAAAA==","nonce":"\#(Base64.encode(Array(0..<24)))","#
            + #""recipient_keys":\#(key),"reply_to":"\#(APISample.message)","expires_in":6e1}"#
        let call = try APISample.call("POST", "messages", body)
        let request = try SendMessage(members: call.object)
        let time = try #require(Timestamp("2026-01-15T09:30:00.000Z"))
        let sent = SentMessage(id: request.id, epoch: "k3Jx9w", seq: 42, createdAt: time)
        let response = call.response(to: APISample.accepted(String(decoding: sent.json, as: UTF8.self)))
        let record = MessageRecord(request, sender: APISample.caller, epoch: "k3Jx9w", seq: 42, createdAt: time)
        var writer = JSONWriter()
        record.write(to: &writer, status: .sent)
        #expect(response.status == 201)
        #expect(response.text == String(decoding: writer.finish(), as: UTF8.self))
    }

    @Test("an older app's message names its suite in the answer")
    func olderMessage() throws {
        let nonce = Base64.encode(Array(0..<24))
        let body =
            #"{"conversation_id":"\#(APISample.conversation)","message_type":"text","nonce":"\#(nonce)","#
            + #""encrypted_content":"AAAAAAAAAAAAAAAAAAAAAA=="}"#
        let response = try APISample.call("POST", "messages", body).response(
            to: APISample.accepted(
                #"{"id":"\#(APISample.message)","epoch":"e","seq":1,"created_at":"2026-01-15T09:30:00.000Z"}"#))
        let object = try JSONObject(parsing: response.body)
        #expect(
            try object.text("suite", maximum: 64) == "legacy-nacl-box" && object.text("nonce", maximum: 64) == nonce)
        #expect(object.isNull("recipient_keys") && object.isNull("expires_at") && object.isNull("target_id"))
    }

    @Test("a page of history has its records as they came, and the oldest one's id as its cursor")
    func history() throws {
        let records = #"[{"id":"\#(APISample.message)","x":"}]\""},{"id":"other"}]"#
        let more = try APISample.call("GET", Self.page).response(
            to: APISample.accepted(#"{"messages":\#(records),"has_more":true,"next_cursor":7,"epoch":"e"}"#))
        #expect(more.status == 200)
        #expect(more.text == #"{"messages":\#(records),"has_more":true,"next_cursor":"\#(APISample.message)"}"#)
        let last = try APISample.call("GET", Self.page).response(
            to: APISample.accepted(#"{"messages":[],"has_more":false,"next_cursor":null}"#))
        #expect(last.text == #"{"messages":[],"has_more":false,"next_cursor":null}"#)
    }

    @Test("the data of other resources stands alone")
    func bare() throws {
        let data = #"{"conversations":[],"total":0,"limit":20,"offset":0}"#
        let list = try APISample.call("GET", "conversations").response(to: APISample.accepted(data))
        #expect(list == APIResponse(status: 200, body: Array(data.utf8)))
        let made = try APISample.call("POST", "conversations").response(to: APISample.accepted(data))
        #expect(made.status == 201)
    }

    @Test("a user's public key is that of the newest device, and one's own that of this device")
    func publicKey() throws {
        func device(_ name: String, _ key: UInt8, _ day: Int) throws -> DeviceKeys {
            DeviceKeys(
                device: DeviceID(validated: name), identityKey: [UInt8](repeating: key, count: 32), signingKey: nil,
                signature: nil, createdAt: try #require(Timestamp("2026-01-0\(day)T00:00:00.000Z")))
        }
        func key(_ method: String, _ devices: [DeviceKeys]) throws -> APIResponse {
            let keys = UserKeys(user: APISample.caller.user, devices: devices)
            let body = method == "POST" ? #"{"public_key":"AAAA"}"# : ""
            return try APISample.call(method, "users/me/public-key", body).response(
                to: APISample.accepted(String(decoding: keys.json, as: UTF8.self)))
        }
        let devices = [try device("phone", 1, 1), try device("tablet", 2, 3), try device("old", 3, 2)]
        let newest = try JSONObject(parsing: key("GET", devices).body)
        #expect(try newest.base64("public_key", lengths: 32...32) == [UInt8](repeating: 2, count: 32))
        #expect(try newest.text("created_at", maximum: 24) == "2026-01-03T00:00:00.000Z")
        #expect(try newest.level("user_id", as: UserID.self) == APISample.caller.user)
        #expect(try newest.objects("devices", maximum: 9)?.count == 3)
        let own = try JSONObject(parsing: key("POST", devices).body)
        #expect(try own.base64("public_key", lengths: 32...32) == [UInt8](repeating: 1, count: 32))
        #expect(try key("GET", []).status == 404)
    }

    @Test("a reply that the gateway does not give is a fault")
    func faults() throws {
        let calls = [
            try APISample.call("POST", "messages"), try APISample.call("GET", Self.page),
            try APISample.call("GET", "users/bob/public-key"), try APISample.call("POST", "devices/list"),
        ]
        for call in calls {
            for reply in ["", "x", "{", "[]", "{}", #"{"ok":1,"data":{}}"#, #"{"data":{},"ok":true}"#, #"{"ok":true}"#]
            {
                #expect(call.response(to: APISample.bytes(reply)).status == 500, "\(call.operation) \(reply)")
            }
        }
        let data = [
            "1", "{}", "[]", #"{"messages":{},"has_more":true}"#, #"{"messages":[],"has_more":true}"#,
            #"{"messages":[{"id":7}],"has_more":true}"#, #"{"messages":["#, #"{"messages":[]"#,
        ]
        for call in calls.dropLast() {
            for data in data { #expect(call.response(to: APISample.accepted(data)).status == 500) }
        }
        let unknown = APISample.bytes(#"{"ok":false,"error":{"code":"new_code","message":"m"}}"#)
        #expect(calls[0].response(to: unknown) == APIResponse(status: 500, body: unknown))
    }

    @Test("any reply is answered")
    func anything() throws {
        var random = Seeded(stream: 2602)
        let calls = [
            try APISample.call("POST", "messages"), try APISample.call("GET", Self.page),
            try APISample.call("GET", "users/bob/public-key"), try APISample.call("POST", "conversations"),
        ]
        let reply = APISample.accepted(
            #"{"messages":[{"id":"\#(APISample.message)","seq":1}],"has_more":true,"devices":[{"device_id":"d"}]}"#)
        for _ in 0..<4000 {
            var broken = Array(reply.prefix(random.number(0...reply.count)))
            for _ in 0..<random.number(0...3) where !broken.isEmpty {
                broken[random.number(0...broken.count - 1)] = try random.element(Array(#"{}[]":,\0tfn"#.utf8))
            }
            let response = try random.element(calls).response(to: broken)
            #expect((200...599).contains(response.status))
        }
    }
}
