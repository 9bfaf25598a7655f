import HTTPDoubles
import OpenSSL
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

/// The settings of an account.
func apns(_ url: String = "https://api.push.apple.com") -> [String: String] {
    [
        "apns_key_file": TestKeys.certificateKey, "apns_key_id": "ABC123DEFG", "apns_team_id": "DEF123GHIJ",
        "apns_url": url,
    ]
}

/// Protocol §7, `apns`.
@Suite("Notifications for Apple's service")
struct APNsTests {
    private static func request(
        _ type: PushType = .message, isUrgent: Bool = false, message: MessageRecord? = record(contentBytes: 200)
    ) -> PushRequest {
        APNs.request(
            delivery(
                to: .apns(token: "00ff", topic: "org.example.app"), type, isUrgent: isUrgent, message: message),
            token: "00ff", topic: "org.example.app", url: "https://api.push.apple.com", authorization: "bearer x")
    }

    @Test("a message is an alert without a text, which the app may change")
    func alert() throws {
        let request = Self.request()
        #expect(request.url == "https://api.push.apple.com/3/device/00ff")
        #expect(request["apns-topic"] == "org.example.app")
        #expect(request["apns-push-type"] == "alert")
        #expect(request["apns-id"] == notificationID(1).description)
        #expect(request["apns-collapse-id"] == conversation.description)
        #expect(request["apns-priority"] == "10")
        #expect(request["apns-expiration"] == String(at(.seconds(3600)).milliseconds / 1000))
        let payload = try JSONObject(parsing: request.body)
        #expect(payload.names == ["aps", "parley"])
        let aps = try #require(try payload.object("aps"))
        #expect(aps.names == ["badge", "alert", "mutable-content", "sound", "thread-id"])
        #expect(try aps.integer("badge", in: 0...9) == 3)
        #expect(try aps.integer("mutable-content", in: 0...9) == 1)
        #expect(try aps.text("thread-id", maximum: 36) == conversation.description)
        let alert = try #require(try aps.object("alert"))
        #expect(alert.names == ["title-loc-key"])
        #expect(try alert.text("title-loc-key", maximum: 36) == "PARLEY_MESSAGE")
        let object = try #require(try payload.object("parley"))
        #expect(try object.uuid("id", as: NotificationID.self) == notificationID(1))
    }

    @Test("what clears shows nothing and wakes nobody")
    func background() throws {
        let request = Self.request(.clear, isUrgent: true, message: nil)
        #expect(request["apns-push-type"] == "background")
        #expect(request["apns-priority"] == "5")
        let aps = try #require(try JSONObject(parsing: request.body).object("aps"))
        #expect(aps.names == ["content-available"])
    }

    @Test("only a message, or what is urgent, is shown at once")
    func priority() {
        #expect(Self.request(.feed(.rankChange))["apns-priority"] == "5")
        #expect(Self.request(.feed(.rankChange), isUrgent: true)["apns-priority"] == "10")
        #expect(Self.request(.test)["apns-priority"] == "5")
    }

    @Test("a payload has at most 4096 bytes, with the message in it as long as it fits")
    func size() throws {
        var carried = 0
        for count in stride(from: 0, through: 60_000, by: 59) {
            let body = Self.request(message: record(contentBytes: count)).body
            #expect(body.count <= 4096)
            if try JSONObject(parsing: body).object("parley")?.has("message") == true { carried = count }
        }
        #expect((2200...2700).contains(carried))
    }

    /// Apple's table, "Handling notification responses from APNs": the names of what it refuses and what may be
    /// accepted later, where the status alone does not tell.
    @Test(
        "an answer is read as Apple describes it",
        arguments: [
            (400, "BadTopic", false), (400, "TopicDisallowed", false), (400, "PayloadEmpty", false),
            (400, "BadCollapseId", false), (400, "IdleTimeout", true), (403, "MissingProviderToken", true),
            (403, "Forbidden", false), (404, "BadPath", false), (405, "MethodNotAllowed", false),
            (413, "PayloadTooLarge", false), (429, "TooManyRequests", true), (429, "TooManyProviderTokenUpdates", true),
            (500, "InternalServerError", true), (503, "ServiceUnavailable", true), (503, "Shutdown", true),
        ])
    func answers(status: Int, reason: String, isLater: Bool) {
        let problem = PushProblem(status: status, reason)
        let read = Self.read(status, #"{"reason":"\#(reason)"}"#)
        #expect(read.answer == (isLater ? .later(problem, after: nil) : .refused(problem)) && !read.needsToken)
    }

    private static func read(_ status: Int, _ body: String, retryAfter: String? = nil) -> ServiceAnswer {
        APNsService.read(PushReply(status: status, retryAfter: retryAfter, body: Array(body.utf8)), now: at(0))
    }

    @Test("a reason that is no name is not passed on")
    func noName() {
        let answer = PushAnswer.later(PushProblem(status: 503, "HTTP 503"), after: nil)
        #expect(Self.read(503, #"{"reason":"no\nname"}"#).answer == answer)
    }

    @Test("a device that is gone has been so since a time")
    func unregistered() {
        let since = Timestamp(milliseconds: 1_768_467_500_123)
        let read = Self.read(410, #"{"reason":"Unregistered","timestamp":1768467500123}"#)
        #expect(read == ServiceAnswer(.ended(status: 410, since: since), .works))
        for garbage in ["", "[]", "{", #"{"timestamp":"now"}"#, #"{"timestamp":-1}"#, #"{"timestamp":1e99}"#] {
            #expect(Self.read(410, garbage) == ServiceAnswer(.ended(status: 410, since: nil), .works))
        }
    }

    @Test("too many for one device do not count against the service")
    func tooMany() {
        let read = Self.read(429, #"{"reason":"TooManyRequests"}"#, retryAfter: "60")
        let answer = PushAnswer.later(PushProblem(status: 429, "TooManyRequests"), after: .seconds(60))
        #expect(read == ServiceAnswer(answer, .works))
    }

    @Test("a token is signed by the key, and is between 20 minutes and an hour old")
    func tokens() throws {
        let credentials = try #require(try APNsCredentials(configuration(apns())))
        let tokens = APNsTokens(credentials)
        let first = try tokens.token(now: at(0))
        let claims = try VAPIDTests.verify(
            first.text, key: credentials.key.publicKey.bytes)
        #expect(try claims.text("iss", maximum: 10) == "DEF123GHIJ")
        #expect(try claims.integer("iat", in: 0...Int.max) == Int(at(0).milliseconds / 1000))
        let header = try JSONObject(parsing: base64URL(String(first.text.prefix { $0 != "." })))
        #expect(try header.text("alg", maximum: 10) == "ES256")
        #expect(try header.text("kid", maximum: 10) == "ABC123DEFG")
        #expect(try tokens.token(now: at(.seconds(44 * 60))) == first)
        #expect(try tokens.token(now: at(.seconds(46 * 60))) != first)
    }

    @Test("a token that is refused is replaced once in 20 minutes")
    func replacement() throws {
        let tokens = APNsTokens(try #require(try APNsCredentials(configuration(apns()))))
        let first = try tokens.token(now: at(0))
        let second = try #require(try tokens.replacement(for: first, now: at(0)))
        #expect(second != first)
        #expect(try tokens.replacement(for: first, now: at(0)) == second)
        #expect(try tokens.replacement(for: second, now: at(.seconds(19 * 60))) == nil)
        #expect(try tokens.token(now: at(.seconds(19 * 60))) == second)
        #expect(try tokens.replacement(for: second, now: at(.seconds(20 * 60))) != nil)
    }
}
