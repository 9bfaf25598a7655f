import HTTPDoubles
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

func account(tokenURI: String) -> String {
    let key = TestKeys.rsa.split(separator: "\n").joined(separator: "\\n")
    return #"{"type":"service_account","project_id":"parley-test","private_key_id":"k1","private_key":"\#(key)\n","#
        + #""client_email":"push@parley-test.iam.example.com","token_uri":"\#(tokenURI)"}"#
}

/// Protocol §7, `fcm`.
@Suite("Notifications for Google's service")
struct FCMTests {
    private static func message(
        _ type: PushType = .message, isUrgent: Bool = false, collapse: ConversationID? = conversation,
        message: MessageRecord? = record(contentBytes: 200)
    ) throws -> JSONObject {
        let body = FCM.body(
            delivery(
                to: .fcm(token: "device:1"), type, isUrgent: isUrgent, collapse: collapse, message: message),
            token: "device:1")
        return try #require(try JSONObject(parsing: body).object("message"))
    }

    @Test("a message carries the object as a string, and nothing that the system would show")
    func dataMessage() throws {
        let message = try Self.message()
        #expect(message.names == ["token", "data", "android"])
        #expect(try message.text("token", maximum: 100) == "device:1")
        let data = try #require(try message.object("data"))
        #expect(data.names == ["parley"])
        let object = try JSONObject(parsing: Array(try #require(try data.text("parley", maximum: 5000)).utf8))
        #expect(try object.uuid("id", as: NotificationID.self) == notificationID(1))
        let android = try #require(try message.object("android"))
        #expect(try android.text("priority", maximum: 10) == "HIGH")
        #expect(try android.text("ttl", maximum: 10) == "3600s")
        #expect(try android.text("collapse_key", maximum: 40) == conversation.description)
    }

    @Test("only a message, or what is urgent, wakes a device")
    func priority() throws {
        for (type, isUrgent, priority) in [
            (PushType.clear, false, "NORMAL"), (.feed(.rankChange), false, "NORMAL"),
            (.feed(.rankChange), true, "HIGH"),
        ] {
            let android = try #require(
                try Self.message(type, isUrgent: isUrgent, collapse: nil, message: nil).object("android"))
            #expect(try android.text("priority", maximum: 10) == priority)
            #expect(!android.has("collapse_key"))
        }
    }

    @Test("the data has at most 4096 bytes")
    func size() throws {
        for count in stride(from: 2000, through: 3300, by: 13) {
            let data = try #require(try Self.message(message: record(contentBytes: count)).object("data"))
            #expect(try #require(try data.text("parley", maximum: 5000)).utf8.count + 6 <= 4096)
        }
    }

    private static func read(
        _ code: Int, _ status: String, _ detail: String?, retryAfter: String? = nil
    ) -> ServiceAnswer {
        let type = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
        let details = detail.map { #","details":[{"@type":"a"},{"@type":"\#(type)","errorCode":"\#($0)"}]"# } ?? ""
        let body = #"{"error":{"code":\#(code),"message":"Not found.","status":"\#(status)"\#(details)}}"#
        return FCMService.read(PushReply(status: code, retryAfter: retryAfter, body: Array(body.utf8)), now: at(0))
    }

    @Test(
        "an answer is read as Google describes it",
        arguments: [
            (404, "NOT_FOUND", "UNREGISTERED", .ended(status: 404, since: nil), .works),
            (404, "NOT_FOUND", nil, .refused(PushProblem(status: 404, "NOT_FOUND")), .works),
            (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", .ended(status: 403, since: nil), .works),
            (403, "PERMISSION_DENIED", nil, later(403, "PERMISSION_DENIED"), .fails),
            (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", .refused(.init(status: 400, "INVALID_ARGUMENT")), .works),
            (429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", later(429, "QUOTA_EXCEEDED"), .works),
            (503, "UNAVAILABLE", "UNAVAILABLE", later(503, "UNAVAILABLE"), .fails),
            (500, "INTERNAL", "INTERNAL", later(500, "INTERNAL"), .fails),
        ] as [(Int, String, String?, PushAnswer, ServiceHealth)])
    func answers(status: Int, name: String, detail: String?, answer: PushAnswer, health: ServiceHealth) {
        #expect(Self.read(status, name, detail) == ServiceAnswer(answer, health))
    }

    private static func later(_ status: Int, _ name: String, after: Duration? = nil) -> PushAnswer {
        .later(PushProblem(status: status, name), after: after)
    }

    @Test("a pause that Google asks for is kept to")
    func pause() {
        let answer = Self.later(429, "QUOTA_EXCEEDED", after: .seconds(60))
        #expect(
            Self.read(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", retryAfter: "60")
                == ServiceAnswer(answer, .throttled(for: .seconds(60))))
    }

    @Test(
        "garbage is an answer by its status alone",
        arguments: ["", "[]", "<html>", #"{"error":7}"#, #"{"error":{"status":"a b"}}"#, #"{"error":{"details":{}}}"#])
    func garbage(_ body: String) {
        #expect(
            FCMService.read(PushReply(status: 404, body: Array(body.utf8)), now: at(0))
                == ServiceAnswer(.refused(PushProblem(status: 404, "HTTP 404")), .works))
    }

    @Test("an access token is used until five minutes before its end")
    func token() throws {
        let asked = ContinuousClock.now
        func until(_ body: String) throws -> Duration {
            asked.duration(
                to: try FCMTokens.read(.init(status: 200, body: Array(body.utf8)), asked: asked, now: at(0)).get().until
            )
        }
        #expect(try until(#"{"access_token":"a","expires_in":3600,"token_type":"Bearer"}"#) == .seconds(3300))
        #expect(try until(#"{"access_token":"a","expires_in":60}"#) == .seconds(30))
        #expect(try until(#"{"access_token":"a","expires_in":99999999999}"#) == .seconds(86_100))
        for garbage in [
            "", "{}", #"{"access_token":"a"}"#, #"{"access_token":"","expires_in":1}"#,
            #"{"access_token":"a\r\nX: y","expires_in":1}"#, #"{"access_token":"a","expires_in":-1}"#,
        ] {
            #expect(throws: TokenFailure(problem: PushProblem(status: 200, "token: no answer of OAuth"))) {
                try until(garbage)
            }
        }
    }

    @Test("a service account that is none is said to be so, without what it holds")
    func accounts() throws {
        let uri = "https://oauth2.example.com/token"
        let right = account(tokenURI: uri)
        func credentials(_ account: String, url: String = "https://example.com") throws -> FCMCredentials? {
            try FCMCredentials(configuration(["fcm_account_file": account, "fcm_url": url]))
        }
        #expect(try credentials(right) != nil)
        for (account, field) in [
            (right.replacing("parley-test\",", with: "../x\","), "project_id"),
            (right.replacing("private_key\"", with: "x\""), "private_key"),
            (right.replacing("client_email", with: "y"), "client_email"),
            (right.replacing(uri, with: "mailto:x"), "token_uri"), (right.replacing("MII", with: "XXX"), "private_key"),
            ("", "no JSON object"), ("x", "no JSON object"),
        ] {
            let problem = "not the JSON of a service account: \(field)"
            #expect(throws: PushConfigurationError("fcm_account_file", problem)) { try credentials(account) }
        }
        #expect(throws: PushConfigurationError("fcm_url", "not an absolute URL without a path")) {
            try credentials(right, url: "https://example.com/path")
        }
    }
}
