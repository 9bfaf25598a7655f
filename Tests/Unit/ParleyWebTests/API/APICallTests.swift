import ParleyProtocol
import ParleyWeb
import TestSupport
import Testing

@Suite("Payloads for the gateway")
struct APICallTests {
    private static let sealed = #""encrypted_content":"AAAAAAAAAAAAAAAAAAAAAA==","nonce":"AAAA""#
    private static let send = #"{"conversation_id":"\#(APISample.conversation)","message_type":"text",\#(sealed)}"#

    @Test("a body goes on as it came", arguments: [#"{"conversation_id":1, "x" : [2]}"#, "not JSON", "", " {} "])
    func unchanged(body: String) throws {
        #expect(try APISample.call("POST", "conversations/get", body).text == (body.isEmpty ? "{}" : body))
    }

    @Test("an id is put before all other members, which stay as they are")
    func insertedID() throws {
        for (body, rest) in [("", "}"), ("{}", "}"), (" { } ", " } "), (#"{ "a" : 1.0e0 }"#, #", "a" : 1.0e0 }"#)] {
            let text = try APISample.call("POST", "groups/create", body).text
            let id = try #require(try JSONObject(parsing: Array(text.utf8)).uuid("id", as: GroupID.self))
            let before = body.prefix { $0 == " " } + "{"
            #expect(text == "\(before)\"id\":\"\(id)\"\(rest)")
        }
    }

    @Test("a null id is replaced, and a given one stays")
    func givenID() throws {
        let given = #"{"name":"G","id":"\#(APISample.message)"}"#
        #expect(try APISample.call("POST", "groups/create", given, key: "k").text == given)
        let replaced = try APISample.call("POST", "groups/create", #"{"id":null,"name":"G"}"#)
        #expect(try replaced.object.uuid("id", as: GroupID.self) != nil)
        #expect(replaced.text.hasSuffix(#","name":"G"}"#))
        // The gateway says what is wrong with it.
        #expect(try APISample.call("POST", "groups/create", #"{"id":7}"#).text == #"{"id":7}"#)
    }

    @Test("only what a request makes gets an id")
    func namedThings() throws {
        for request in OperationTable.forClients where request.hasReply && request.askers != .doors {
            let call = try APISample.call("POST", "\(request.operation)", "{}")
            #expect(try call.object.has("id") == request.namesWhatItMakes, "\(request.operation)")
        }
        #expect(try APISample.call("POST", "challenges/accept", "{}").text == "{}")
    }

    @Test("the same key of the same device for the same operation names the same thing, and any other another")
    func idempotencyKey() throws {
        func id(
            _ path: String, _ key: String?, _ body: String = "", device: String = "phone"
        ) throws -> GroupID? {
            let caller = DeviceAddress(user: APISample.caller.user, device: DeviceID(validated: device))
            return try APISample.call("POST", path, body, key: key, by: caller).object.uuid("id")
        }
        let first = try id("groups/create", "key-1")
        #expect(first?.value.isNameBased == true)
        #expect(try id("groups/create", "key-1", #"{"name":"other"}"#) == first)
        #expect(try id("messages", "key-1") == id("messages/send", "key-1"))
        let all = [
            first, try id("groups/create", "key-2"), try id("invites/create", "key-1"),
            try id("groups/create", "key-1", device: "tablet"), try id("groups/create", nil),
            try id("groups/create", nil),
        ]
        #expect(Set(all).count == all.count && !all.contains(nil))
    }

    @Test(
        "a key is 1 to 255 visible characters of ASCII",
        arguments: ["", "a b", "é", "a\u{7F}", "a\nb", String(repeating: "k", count: 256)])
    func badKey(key: String) throws {
        #expect(try APISample.refusal("POST", "messages", "{}", key: key)?.status == 400)
        #expect(try APISample.refusal("POST", "messages", "{}", key: "~" + String(repeating: "!", count: 254)) == nil)
        // Where nothing is named, it says nothing.
        #expect(try APISample.refusal("POST", "conversations/get", "{}", key: key) == nil)
    }

    @Test("a message without a suite is one of an older app")
    func suite() throws {
        let older = try APISample.call("POST", "messages", Self.send)
        #expect(try older.object.text("suite", maximum: 64) == "legacy-nacl-box")
        #expect(older.text.hasSuffix(Self.send.dropFirst()))
        let named = try APISample.call("POST", "messages", #"{"suite":"nacl-box","is_urgent":true}"#)
        #expect(try named.object.text("suite", maximum: 64) == "nacl-box" && named.object.bool("is_urgent") == true)
        let null = try APISample.call("POST", "messages", #"{"suite":null}"#)
        #expect(try null.object.text("suite", maximum: 64) == "legacy-nacl-box")
        #expect(try !APISample.call("POST", "messages/send", Self.send).object.has("suite"))
    }

    @Test("an event cannot be the reply to an HTTP request")
    func echo() throws {
        for path in ["messages", "messages/send"] {
            for reply in [#""event""#, #""\u0065vent""#, #""x""#, "1"] {
                #expect(try APISample.refusal("POST", path, #"{"reply":\#(reply)}"#)?.status == 400)
            }
            for reply in [#""message""#, "null"] {
                #expect(try APISample.refusal("POST", path, #"{"reply":\#(reply)}"#) == nil)
            }
        }
    }

    @Test("the id in the path goes into the payload, in place of one in the body")
    func read() throws {
        let path = "conversations/\(APISample.conversation)/read"
        let payload = try APISample.call("POST", path, #"{"message_id":"\#(APISample.message)"}"#).payload
        #expect(
            try MarkRead(members: JSONObject(parsing: payload))
                == MarkRead(
                    conversation: #require(ConversationID(APISample.conversation)),
                    message: #require(MessageID(APISample.message))))
        #expect(
            try APISample.call("POST", path, #"{"conversation_id":7,"message_id":1}"#).text
                == #"{"conversation_id":"\#(APISample.conversation)","message_id":1}"#)
    }

    @Test("a public key is published as the device's identity key")
    func publicKey() throws {
        let key = Base64.encode([UInt8](repeating: 9, count: 32))
        let payload = try APISample.call("POST", "users/me/public-key", #"{"public_key":"\#(key)"}"#).payload
        #expect(
            try PublishKeys(members: JSONObject(parsing: payload))
                == PublishKeys(identityKey: [UInt8](repeating: 9, count: 32)))
        #expect(try APISample.refusal("POST", "users/me/public-key", "{}")?.status == 400)
        #expect(try APISample.refusal("POST", "users/me/public-key", #"{"public_key":null}"#)?.status == 400)
    }

    @Test("a query becomes the fields of the request, and what is unknown in it is ignored")
    func query() throws {
        #expect(try APISample.call("GET", "conversations").text == "{}")
        #expect(
            try APISample.call("GET", "conversations?offset=007&archived=true&&x=%20&limit=%32").text
                == #"{"limit":2,"offset":7,"archived":true}"#)
        let path = "conversations/\(APISample.conversation)/messages"
        #expect(
            try APISample.call("GET", path + "?limit=5&before=\(APISample.message)").text
                == #"{"conversation_id":"\#(APISample.conversation)","limit":5,"before":"\#(APISample.message)"}"#)
        // Its bounds are the operation's.
        #expect(try APISample.call("GET", "conversations?limit=999999999999999999").payload.count > 20)
    }

    @Test(
        "a query that cannot be meant is refused",
        arguments: [
            "limit=", "limit", "limit=-1", "limit=+1", "limit=1.0", "limit=%2", "limit=1&limit=1", "%6cimit=1&limit=1",
            "limit=9999999999999999999", "archived=1", "archived=TRUE", "archived", "%=1", "=1&=1",
            "before=\(APISample.message)&before=x", String(repeating: "a=1&b=2&", count: 20),
            (0...32).map { "a\($0)=1" }.joined(separator: "&"),
        ])
    func badQuery(query: String) throws {
        #expect(try APISample.refusal("GET", "conversations?" + query)?.status == 400)
    }

    @Test("a place in history is a message's id", arguments: ["42", "", "x", APISample.message.uppercased()])
    func badPlace(before: String) throws {
        let path = "conversations/\(APISample.conversation)/messages?before=" + before
        #expect(try APISample.refusal("GET", path)?.status == 400)
    }

    @Test("a body is JSON by its type too")
    func contentType() throws {
        for path in ["messages", "conversations/get", "typing/start"] {
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/json2", "application", ";"] {
                #expect(try APISample.refusal("POST", path, "{}", contentType: type)?.status == 415)
            }
        }
        let valid = [nil, "", "application/json", "Application/JSON ; charset=utf-8", "application/json;x"]
        for type in valid {
            #expect(try APISample.refusal("POST", "messages", "{}", contentType: type) == nil)
        }
        #expect(try APISample.refusal("POST", "devices/list", "", contentType: "text/plain") == nil)
    }

    @Test(
        "what is no JSON object is refused where an id belongs in it",
        arguments: ["x", "[]", "{", #"{"a":1,"a":2}"#, "{}{}", #"{"\ud800":1}"#, "\u{FEFF}{}"])
    func badBody(body: String) throws {
        #expect(try APISample.refusal("POST", "messages", body)?.status == 400)
        #expect(try APISample.refusal("POST", "messages/send", body)?.status == 400)
    }

    @Test("a payload has the gateway's bound")
    func tooLarge() throws {
        let body = #"{"x":"\#(String(repeating: "x", count: Limits.requestBytes - 8))"}"#
        #expect(try APISample.call("POST", "conversations/get", body).payload.count == Limits.requestBytes)
        #expect(try APISample.refusal("POST", "conversations/get", body + " ")?.status == 413)
        #expect(try APISample.refusal("POST", "messages", body)?.status == 413)
    }

    @Test("typing, which nobody answers, is checked by the door")
    func typing() throws {
        let body = #"{"conversation_id":"\#(APISample.conversation)","request_id":"r1"}"#
        let call = try APISample.call("POST", "typing/start", body)
        #expect(call.text == body)
        let response = try #require(call.responseWithoutReply)
        #expect(response.status == 202 && response.text == #"{"request_id":"r1","ok":true,"data":{}}"#)
        let refusal = try #require(try APISample.refusal("POST", "typing/stop", #"{"request_id":"r2"}"#))
        #expect(refusal.status == 400)
        #expect(
            refusal.response.body.starts(with: #"{"request_id":"r2","ok":false,"error":{"code":"bad_request""#.utf8))
        #expect(try APISample.call("POST", "devices/list").responseWithoutReply == nil)
    }
}
