import MQTTClient
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("What comes from the broker")
struct IngressTests {
    private static let up = "parley/v1/up/alice/phone/"

    /// What becomes of messages, one after the other.
    private func judge(
        _ messages: [(inout InboundBatch) -> Void], _ change: (inout Settings) -> Void = { _ in },
        now: (Int) -> Timestamp = { _ in at(0) }
    ) throws -> [Ingress.Verdict] {
        var settings = Settings()
        change(&settings)
        var ingress = Ingress(settings, try OperationHandlers())
        return messages.enumerated().map { index, add in
            var batch = InboundBatch()
            // Something before it, so that no range begins at 0.
            batch.add("parley/v1/up/bob/phone/keys/get", Array("{}".utf8))
            add(&batch)
            return ingress.judge(batch.messages[1], in: batch, now: now(index))
        }
    }

    /// What a message turns out to be, in a word: the operation, an error code, or what the ingress did with it.
    private func verdict(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) throws -> String {
        switch try judge([{ $0.add(topic, payload, isRetained: isRetained) }])[0] {
        case .command(let incoming): return "\(incoming.request.operation)"
        case .query(let incoming): return "\(incoming.request.operation)"
        case .refused(_, let rejection): return rejection.code.rawValue
        case .presence: return "presence"
        case .tokenUses: return "tokens"
        case .counts: return "counts"
        case .sessionRemovals: return "sessions"
        case .backlogEnd(let marker): return "backlog end \(String(decoding: marker, as: UTF8.self))"
        case .selfRequest: return "its own"
        case .ignored: return "ignored"
        }
    }

    private func verdict(_ topic: String, _ payload: String, isRetained: Bool = false) throws -> String {
        try verdict(topic, Array(payload.utf8), isRetained: isRetained)
    }

    @Test(
        "a topic is a request of one device, or nothing",
        arguments: [
            ("devices/list", "devices/list"), ("profile/get", "profile/get"), ("devices/unknown", "not_found"),
            ("nothing/list", "not_found"), ("devices", "ignored"), ("devices/list/more", "ignored"),
            ("devices/", "ignored"), ("/list", "ignored"), ("devices/li st", "ignored"), ("devices/l\u{0}", "ignored"),
            ("devices/" + String(repeating: "x", count: 65), "ignored"),
        ])
    func operations(rest: String, expected: String) throws {
        #expect(try verdict(Self.up + rest, "{}") == expected)
    }

    @Test(
        "what is not below a device's own level is no request",
        arguments: [
            "", "/", "parley/v1/up", "parley/v1/up/", "parley/v2/up/alice/phone/devices/list",
            "parley/v1/up/al+ce/phone/devices/list", "parley/v1/up//phone/devices/list",
            "parley/v1/up/alice/#/devices/list", "parley/v1/down/alice/phone/devices/list/accepted",
            "parley/v1/gateway/status", "parley/v1/up/~backlog/x", "PARLEY/v1/up/alice/phone/devices/list",
            "parley/v1/up/alicé/phone/devices/list", "$SYS/broker/load", "parley/v1/up/a/b/c/d/e/f/g/h/i/j/k/l",
        ])
    func foreignTopics(topic: String) throws {
        #expect(try verdict(topic, "{}") == "ignored")
    }

    @Test("what the broker's plugin reports is for the gateway alone to read, and whole or nothing")
    func pluginReportsAreWhole() throws {
        let report = try #require(PresenceCodec.messages(for: [.online("alice")]).first)
        #expect(try verdict(PresenceReport.topic, report) == "presence")
        #expect(try verdict(PresenceReport.topic, report.dropLast()) == "ignored")
        let use = TokenUse(device: device("alice", "phone"), token: .random())
        let uses = try #require(TokenUseCodec.messages(for: [use]).first)
        #expect(try verdict(TokenUse.topic, uses) == "tokens")
        #expect(try verdict(BrokerCounts.topic, BrokerCounts().message) == "counts")
        #expect(try verdict(BrokerCounts.topic, [1, 2, 3]) == "ignored")
        #expect(try verdict(SessionRemoval.topic, [1, 3] + Array("a:b".utf8)) == "sessions")
        #expect(try verdict(SessionRemoval.topic, [1, 3] + Array("a/b".utf8)) == "ignored")
        #expect(try verdict(TokenUse.topic, uses.dropLast()) == "ignored")
        #expect(try verdict(TokenUse.topic, uses, isRetained: true) == "ignored")
        #expect(try verdict(PresenceReport.topic, report, isRetained: true) == "ignored")
        #expect(try verdict(PresenceReport.topic + "/x", report) == "ignored")
    }

    @Test("the marker ends the backlog, and a retained message is nothing")
    func markerEndsBacklog() throws {
        #expect(try verdict(Ingress.marker, "7") == "backlog end 7")
        #expect(try verdict(Ingress.marker, "", isRetained: true) == "ignored")
        #expect(try verdict(Self.up + "devices/list", "{}", isRetained: true) == "ignored")
    }

    @Test(
        "a payload that is no object of the protocol's changes nothing",
        arguments: [
            "", " ", "null", "[]", "\"{}\"", "1", "{", "{}{}", "{} x", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{\"a\":NaN}",
            "{\"a\":\"\\ud800\"}", "{'a':1}", "\u{FEFF}{}", "{\"request_id\":7}",
            "{\"request_id\":\"" + String(repeating: "x", count: 65) + "\"}",
            String(repeating: "{\"a\":", count: 17) + "1" + String(repeating: "}", count: 17),
        ])
    func payloads(payload: String) throws {
        #expect(try verdict(Self.up + "devices/list", payload) == "bad_request")
    }

    @Test("bytes that are not UTF-8 are no payload")
    func badUTF8IsNoPayload() throws {
        for bytes in [[0x7B, 0xFF, 0x7D], Array("{\"a\":\"".utf8) + [0xC0, 0x80] + Array("\"}".utf8), [0x00], [0xFE]]
            as [[UInt8]]
        {
            #expect(try verdict(Self.up + "devices/list", bytes) == "bad_request")
        }
    }

    @Test("a payload may have 256 KiB and not a byte more")
    func payloadLimit() throws {
        let most = "{}" + String(repeating: " ", count: Limits.requestBytes - 2)
        #expect(try verdict(Self.up + "devices/list", most) == "devices/list")
        #expect(try verdict(Self.up + "devices/list", most + " ") == "too_large")
    }

    /// Adds a request with this payload.
    private func list(_ payload: String) -> (inout InboundBatch) -> Void {
        { $0.add(Self.up + "devices/list", Array(payload.utf8)) }
    }

    @Test(
        "a request over its size is refused unread, under its name where that stands in the first KiB",
        arguments: [
            (#"{"request_id":"r","x":""#, #""r""#),
            (#" { "a" : 1.5e3 , "b":"c\"d", "request_id" : "é" ,"x":""#, #""é""#),
            (#"{"a":true,"request_id":"\u0041","x":""#, #""\u0041""#), (#"{"x":""#, nil),
            (#"{"request_id":7,"x":""#, nil), (#"{"request_id":null,"x":""#, nil), (#"["request_id","r","x":""#, nil),
            (#"{"a":{},"request_id":"r","x":""#, nil), (#"{"a":[1],"request_id":"r","x":""#, nil),
            ("{\"request_id\":\"" + String(repeating: "r", count: 65) + "\",\"x\":\"", nil),
            ("{\"a\":\"" + String(repeating: "a", count: 1010) + "\",\"request_id\":\"r\",\"x\":\"", nil),
            ("{\"request_id\":\"\u{1}\",\"x\":\"", nil), (#"{"request_id""#, nil), (#"{"request_id":"#, nil),
            (" ", nil),
        ] as [(String, String?)])
    func longRequests(start: String, id: String?) throws {
        let long = start + String(repeating: "x", count: Limits.requestBytes)
        let refused = try #require(try judge([list(long)])[0].refusal)
        #expect(refused.rejection.code == .tooLarge)
        #expect(refused.route.requestID.map { String(decoding: $0.json, as: UTF8.self) } == id)
    }

    @Test("a request over its rate is refused unread: its name is not looked for")
    func overRateIsUnread() throws {
        let long = #"{"request_id":"r","x":""# + String(repeating: "x", count: Limits.requestBytes) + #""}"#
        let named = #"{"request_id":"r"}"#
        let refused = try judge([named, named, "{", long].map(list)) { $0.requestBurst = 1 }.compactMap(\.refusal)
        #expect(refused.map(\.rejection.code) == [.rateLimited, .rateLimited, .rateLimited])
        #expect(refused.allSatisfy { $0.route.requestID == nil })
    }

    @Test("a payload that was too long to be copied is too large, whatever it was")
    func uncopiedIsTooLarge() throws {
        let verdict = try judge([
            { $0.add(Self.up + "devices/list", [], payloadLength: Limits.requestBytes + 1) }
        ])[0]
        #expect(verdict.refusal?.rejection.code == .tooLarge)
    }

    @Test("an object of more than 64 members is refused, but a table of cursors is not")
    func members() throws {
        func members(_ count: Int, _ value: String) -> String {
            (100..<100 + count).map { #""00000000-0000-4000-8000-000000000\#($0)":\#(value)"# }.joined(separator: ",")
        }
        let cursors = members(500, #"{"epoch":"e","seq":1}"#)
        #expect(try verdict(Self.up + "sync/get", #"{"cursors":{\#(cursors)}}"#) == "sync/get")
        #expect(try verdict(Self.up + "profile/set", "{\(members(64, "0"))}") == "profile/set")
        #expect(try verdict(Self.up + "profile/set", "{\(members(65, "0"))}") == "bad_request")
        #expect(try verdict(Self.up + "profile/set", #"{"cursors":{\#(cursors)}}"#) == "bad_request")
        #expect(try verdict(Self.up + "nothing/list", #"{"x":{\#(members(65, "0"))}}"#) == "bad_request")
    }

    @Test("what is wrong with a payload is said in a sentence", arguments: JSONError.allCases)
    func sentences(fault: JSONError) {
        let words = Rejection(payload: fault).message.split(separator: " ")
        #expect(words.prefix(2) == ["The", "payload"] && words.last?.last == ".")
        #expect(["is", "has", "ends"].contains(words[2]))
    }

    @Test(
        "the operation is looked for in an object that is one", arguments: [("{}", "not_found"), ("{", "bad_request")])
    func unknownOperation(payload: String, expected: String) throws {
        #expect(try verdict(Self.up + "nothing/list", payload) == expected)
    }

    // MARK: Replies

    private func route(
        responseTopic: String?, correlationData: [UInt8]? = nil, payload: String = "{}"
    ) throws -> ReplyRoute {
        let verdict = try judge([
            {
                $0.add(
                    Self.up + "devices/list", Array(payload.utf8), responseTopic: responseTopic,
                    correlationData: correlationData)
            }
        ])[0]
        guard case .query(let incoming) = verdict else { throw Rejection.internalFault }
        return incoming.route
    }

    private static let down = "parley/v1/down/alice/phone/"

    private static let x400 = String(repeating: "x", count: 400)
    private static let itsOwn: [String] = [
        down + "x", down + "devices/list/accepted", down + "a/b//c", down + x400,
    ]
    private static let notItsOwn: [String] = [
        down, "parley/v1/down/alice/phone", "parley/v1/down/alice/phones/x", "parley/v1/down/bob/phone/x",
        "parley/v1/conversations/x/messages", "$CONTROL/parley/v1", "", down + "+", down + "x/#", down + "\u{0}",
        down + x400 + x400,
        // Mosquitto would end the gateway's connection for the first.
        down + String(repeating: "/", count: 250), down + String(repeating: "/", count: 32),
    ]

    @Test("a reply goes where its requester asks for it", arguments: itsOwn)
    func responseTopics(topic: String) throws {
        #expect(try route(responseTopic: topic).responseTopic == Array(topic.utf8))
    }

    @Test("but only where nobody else hears it", arguments: notItsOwn)
    func foreignResponseTopics(topic: String) throws {
        #expect(try route(responseTopic: topic).responseTopic == nil)
    }

    @Test("a reply carries what its request named")
    func replyNamesItsRequest() throws {
        let route = try route(
            responseTopic: nil, correlationData: [0, 255, 1], payload: #"{"request_id":"\u0041\"b"}"#)
        var outgoing = Outgoing()
        outgoing.accept(route) { $0.object { _ in } }
        outgoing.reject(route, .unavailable)
        let replies = try outgoing.replies
        #expect(replies.map(\.topic) == [Self.down + "devices/list/accepted", Self.down + "devices/list/rejected"])
        #expect(replies.allSatisfy { $0.correlationData == [0, 255, 1] })
        #expect(
            replies.allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains(#""request_id":"\u0041\"b""#) })
    }

    // MARK: Rates

    private func judgeMany(_ count: Int, _ topics: [String]) throws -> [ErrorCode?] {
        try judge((0..<count).map { index in { $0.add(topics[index % topics.count], Array("{}".utf8)) } })
            .map { $0.refusal?.rejection.code }
    }

    @Test("a device has 60 requests at once in an area, its other areas and devices have their own")
    func deviceLimitAnArea() throws {
        let list = Self.up + "devices/list"
        #expect(try judgeMany(61, [list]).firstIndex(of: .rateLimited) == 60)
        #expect(try !judgeMany(120, [list, Self.up + "profile/get"]).contains(.rateLimited))
        #expect(try !judgeMany(120, [list, "parley/v1/up/alice/laptop/devices/list"]).contains(.rateLimited))
        #expect(try !judgeMany(120, [list, "parley/v1/up/bob/phone/devices/list"]).contains(.rateLimited))
    }

    @Test("a user has twice as many, over all devices")
    func userLimitIsTwice() throws {
        let topics = (0..<3).map { "parley/v1/up/alice/device\($0)/devices/list" }
        #expect(try judgeMany(180, topics).filter { $0 == .rateLimited }.count == 60)
    }

    @Test(
        "a web door asks for everybody, at each of several gateways, and no other device of its user does",
        arguments: [("door", false), ("door-2", false), ("doors", true), ("phone", true)])
    func webDoors(device: String, isLimited: Bool) throws {
        let codes = try judgeMany(200, ["parley/v1/up/web/\(device)/accounts/providers"])
        #expect(codes.contains(.rateLimited) == isLimited)
    }

    @Test("inventing areas makes no room")
    func inventedAreas() throws {
        let topics = (0..<61).map { Self.up + "area\($0)/list" }
        #expect(try judgeMany(61, topics).last == .rateLimited)
    }

    @Test("a refusal says when to come again, and malformed requests count")
    func refusalSaysWhen() throws {
        let verdicts = try judge([list("{"), list("{")], { $0.requestBurst = 1 }) { at(Int64($0) * 10) }
        let rejection = try #require(verdicts[1].refusal?.rejection)
        #expect(rejection.code == .rateLimited && rejection.retryAfterMilliseconds == 40)
    }

    @Test(
        "typing is never replied to, however wrong it is",
        arguments: ["{", "", "{}", #"{"conversation_id":"x"}"#, String(repeating: " ", count: Limits.requestBytes + 1)])
    func typing(payload: String) throws {
        for verb in ["start", "stop"] {
            let verdict = try judge([{ $0.add(Self.up + "typing/\(verb)", Array(payload.utf8)) }])[0]
            let (route, rejection) = try #require(verdict.refusal)
            var outgoing = Outgoing()
            outgoing.reject(route, rejection)
            #expect(outgoing.isEmpty)
        }
    }
}

extension Ingress.Verdict {
    fileprivate var refusal: (route: ReplyRoute, rejection: Rejection)? {
        if case .refused(let route, let rejection) = self { (route, rejection) } else { nil }
    }
}
