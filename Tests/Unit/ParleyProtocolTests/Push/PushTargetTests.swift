import ParleyProtocol
import Testing

@Suite("Targets of pushes")
struct PushTargetTests {
    /// 65 bytes that begin with 4, and 16 bytes.
    private static let key = "B" + String(repeating: "A", count: 86)
    private static let auth = String(repeating: "A", count: 21) + "Q"

    private static func refusal(_ members: String) throws -> Rejection? {
        let object = try JSONObject(parsing: Array("{\(members)}".utf8))
        do throws(Rejection) {
            _ = try PushTarget(members: object)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "each provider takes its own fields",
        arguments: [
            #""provider":"webhook","endpoint":"https://push.example/x","secret":"0123456789abcdef""#,
            #""provider":"webpush","endpoint":"https://push.example/x","p256dh":"\#(key)","auth":"\#(auth)""#,
            #""provider":"apns","token":"00FFaa1100FFaa11","topic":"org.example.App""#,
            #""provider":"fcm","token":"c:APA91b-_x""#,
        ])
    func taken(members: String) throws {
        #expect(try Self.refusal(members) == nil)
        // What another provider would need is not looked at.
        #expect(try Self.refusal(members + #","unknown":1"#) == nil)
    }

    @Test(
        "what is malformed is refused, and its field named",
        arguments: [
            ("provider", ""), ("provider", #""provider":"pigeon""#), ("endpoint", #""provider":"webhook""#),
            ("secret", #""provider":"webhook","endpoint":"https://push.example/x""#),
            ("p256dh", #""provider":"webpush","endpoint":"https://push.example/x","auth":"\#(auth)""#),
            ("auth", #""provider":"webpush","endpoint":"https://push.example/x","p256dh":"\#(key)""#),
            // Padded, too short, too long, compressed, and not base64url.
            ("p256dh", webPush(key: "\(key)=")), ("p256dh", webPush(key: String(key.dropLast(2)))),
            ("p256dh", webPush(key: "\(key)AA")), ("p256dh", webPush(key: "A" + key.dropFirst())),
            ("p256dh", webPush(key: "+" + key.dropFirst())),
            ("auth", webPush(auth: "AAAA")), ("auth", webPush(auth: String(repeating: "A", count: 22) + "AA")),
            ("auth", webPush(auth: String(repeating: "A", count: 21) + "B")),
            ("token", apns("")), ("token", apns("00ff00ff00ff00f")), ("token", apns("0011223344556677x8")),
            ("token", apns(String(repeating: "0", count: 402))), ("token", apns("../../3/device/00000000")),
            ("topic", #""provider":"apns","token":"00112233445566778899""#),
            ("topic", apns("00112233445566778899", topic: "")), ("topic", apns("00112233445566778899", topic: "a b")),
            ("topic", apns("00112233445566778899", topic: #"a\r\nb"#)),
            ("token", #""provider":"fcm""#), ("token", #""provider":"fcm","token":"""#),
            ("token", #""provider":"fcm","token":"a b""#), ("token", #""provider":"fcm","token":"a\"b""#),
            ("token", #""provider":"fcm","token":"é""#),
            ("token", #""provider":"fcm","token":"\#(String(repeating: "x", count: 4097))""#),
        ])
    func refused(field: String, members: String) throws {
        let refusal = try #require(try Self.refusal(members))
        #expect(refusal.code == .badRequest)
        #expect(refusal.message.hasPrefix(field), "\(refusal.message)")
    }

    private static func webPush(key: String = key, auth: String = auth) -> String {
        #""provider":"webpush","endpoint":"https://push.example/x","p256dh":"\#(key)","auth":"\#(auth)""#
    }

    private static func apns(_ token: String, topic: String = "org.example.App") -> String {
        #""provider":"apns","token":"\#(token)","topic":"\#(topic)""#
    }

    @Test("two spellings of a token of APNs are one address")
    func oneAddress() throws {
        let targets = try ["00FFaa1100FFaa11", "00ffaa1100ffaa11"].map { token in
            try PushTarget(members: JSONObject(parsing: Array("{\(Self.apns(token))}".utf8)))
        }
        #expect(targets[0] == targets[1] && targets[0].address == "00ffaa1100ffaa11")
    }

    @Test(
        "the origin of an endpoint leaves the usual port out",
        arguments: [
            ("https://Push.Example/x?y", "https://push.example"), ("https://push.example:443", "https://push.example"),
            ("https://push.example:444/x", "https://push.example:444"),
            ("http://push.example:80", "http://push.example"),
            ("http://[::1]:8080/", "http://[::1]:8080"), ("https://push.example?x", "https://push.example"),
        ])
    func origins(text: String, origin: String) throws {
        #expect(try #require(WebURL(text)).origin == origin)
    }
}
