import HTTPDoubles
import OpenSSL
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

/// Protocol §7, `webpush`.
@Suite("Web Push messages")
struct WebPushTests {
    private static func request(
        _ type: PushType = .message, isUrgent: Bool = false, collapse: ConversationID? = conversation,
        message: MessageRecord? = nil
    ) throws -> (request: PushRequest, key: P256.PrivateKey) {
        let (target, key) = try subscription("https://push.example.net/push/JzLQ3raZ")
        let delivery = delivery(to: target, type, isUrgent: isUrgent, collapse: collapse, message: message)
        guard case .webPush(let endpoint, let p256dh, let auth) = target else { throw NeverCameError("Web Push") }
        return (
            try WebPush.request(
                delivery, to: endpoint, p256dh: p256dh, auth: auth, authorization: "vapid t=a, k=b", .random()), key
        )
    }

    @Test("the message says how long and how soon")
    func messageSaysHowLong() throws {
        let (request, _) = try Self.request()
        #expect(request.url == "https://push.example.net/push/JzLQ3raZ")
        #expect(request["TTL"] == "3600")
        #expect(request["Urgency"] == "high")
        #expect(request["Content-Encoding"] == "aes128gcm")
        #expect(request["Authorization"] == "vapid t=a, k=b")
        #expect(try Self.request(.clear).request["Urgency"] == "low")
        #expect(try Self.request(.feed(.rankChange)).request["Urgency"] == "normal")
        #expect(try Self.request(.feed(.rankChange), isUrgent: true).request["Urgency"] == "high")
    }

    @Test("the topic is of the conversation's id as a text, under what the subscription keeps secret")
    func topicConversationsIDText() throws {
        // By Python: base64.urlsafe_b64encode(hashlib.blake2b(id, digest_size=32, key=auth).digest())[:32]
        #expect(conversation.description == "00000000-0000-7f31-0000-00000000002a")
        #expect(try Self.request().request["Topic"] == "jf3cfemf7F9wpTs5SOpv1HF6te7B9u_d")
        #expect(WebPush.topic(conversation, auth: Array(0..<16)) == "Ohfydz35OI5NvCVf2_HgRZupxIdKrwdi")
        #expect(try Self.request(collapse: nil).request["Topic"] == nil)
    }

    @Test("the subscriber finds the object whatever fits")
    func subscriberFindsObjectWhatever() throws {
        for count in stride(from: 0, through: 3300, by: 300) {
            let (request, key) = try Self.request(message: record(contentBytes: count))
            #expect(request.body.count <= 4096)
            let plain = try openWebPush(request.body, key, auth: [UInt8](repeating: 9, count: 16))
            #expect((plain.count - 1).isMultiple(of: 256) || plain.count - 1 == 3993)
            let end = try #require(plain.lastIndex(of: 2))
            let object = try JSONObject(parsing: Array(plain[..<end]))
            #expect(try object.uuid("id", as: NotificationID.self) == notificationID(1))
            #expect(object.has("message") == (count < 2700))
        }
    }

    @Test("a message goes to a subscription", .ownThreads)
    func messageGoesSubscription() async throws {
        let server = try HTTPDouble(isTLS: true) { _ in .answer(201, [("Location", "https://example.com/m/1")]) }
        let (target, key) = try subscription("https://localhost:\(server.port)/push/1")
        #expect(try await answer(to: delivery(to: target), configuration()) == .accepted(status: 201))
        let request = try #require(server.received.first)
        let plain = try openWebPush(request.body, key, auth: [UInt8](repeating: 9, count: 16))
        #expect(plain.starts(with: Array(#"{"id":""#.utf8)))
        let authorization = try #require(request["authorization"])
        try VAPIDTests.verify(authorization, audience: "https://localhost:\(server.port)", now: at(0))
        server.close()
    }
}
