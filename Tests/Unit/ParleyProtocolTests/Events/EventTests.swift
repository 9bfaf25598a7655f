import ParleyProtocol
import Testing

/// The cold kinds, as text: what clients rely on is names, nulls and forms.
@Suite("Events and objects")
struct EventTests {
    static let conversation = "7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a"
    static let message = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"
    static let time = Timestamp(milliseconds: 1_768_469_400_000)
    static let timeText = "2026-01-15T09:30:00.000Z"

    let id: ConversationID
    let alice: DeviceAddress

    init() throws {
        id = try #require(ConversationID(Self.conversation))
        alice = DeviceAddress(user: UserID("alice"), device: DeviceID("phone"))
    }

    static func text(_ body: (inout JSONWriter) -> Void) -> String {
        String(decoding: JSONWriter.bytes(body), as: UTF8.self)
    }

    @Test("receipts name the watermark by their kind")
    func receipts() throws {
        let names: [(ReceiptKind, String, String)] = [
            (.read, "message.read", "last_read_message_id"),
            (.delivered, "message.delivered", "last_delivered_message_id"),
        ]
        for (kind, type, field) in names {
            let watermark = Watermark(
                conversation: id, user: alice.user, kind: kind, message: try #require(MessageID(Self.message)), seq: 42,
                at: Self.time)
            let data =
                #"{"conversation_id":"\#(Self.conversation)","user_id":"alice","\#(field)":"\#(Self.message)","#
                + #""seq":42,"at":"\#(Self.timeText)"}"#
            #expect(Self.text { watermark.write(to: &$0) } == data)
            #expect(Self.text { watermark.writeEvent(to: &$0) } == #"{"type":"\#(type)","data":\#(data)}"#)
        }
    }

    @Test("a typing indicator says who, where and until when", arguments: [true, false])
    func typing(isTyping: Bool) {
        let indicator = TypingIndicator(conversation: id, sender: alice, isTyping: isTyping, expiresAt: Self.time)
        #expect(
            Self.text { indicator.writeEvent(to: &$0) }
                == #"{"type":"typing.indicator","data":{"conversation_id":"\#(Self.conversation)","#
                + #""user_id":"alice","device_id":"phone","is_typing":\#(isTyping),"expires_at":"\#(Self.timeText)"}}"#)
    }

    @Test("a conversation has its counter in replies and conversation.created, and not in the retained info")
    func conversations() {
        let conversation = Conversation(
            id: id, type: .known(.group), name: nil, createdBy: alice.user, createdAt: Self.time, updatedAt: Self.time,
            epoch: "k3Jx9w", lastSeq: 7,
            members: [Member(user: alice.user, username: "Alice \"A\"", role: .known(.admin), joinedAt: Self.time)])
        func data(_ counter: String) -> String {
            #"{"id":"\#(Self.conversation)","type":"group","name":null,"created_by":"alice","#
                + #""created_at":"\#(Self.timeText)","updated_at":"\#(Self.timeText)","epoch":"k3Jx9w",\#(counter)"#
                + #""members":[{"user_id":"alice","username":"Alice \"A\"","role":"admin","joined_at":"\#(Self.timeText)"}]}"#
        }
        let counted = data(#""last_seq":7,"#)
        #expect(Self.text { conversation.write(to: &$0) } == counted)
        #expect(
            Self.text(ConversationCreated(conversation).writeEvent)
                == #"{"type":"conversation.created","data":\#(counted)}"#)
        #expect(
            Self.text(ConversationUpdated(conversation).writeEvent)
                == #"{"type":"conversation.updated","data":\#(data(""))}"#)
    }

    @Test("a device's keys are base64, and null where there are none")
    func deviceKeys() {
        let keys = DeviceKeys(
            device: alice.device, identityKey: [0xFB, 0xFF], signingKey: nil, signature: [1], createdAt: Self.time)
        let certified = DeviceKeys(
            device: alice.device, identityKey: [0xFB, 0xFF], signingKey: [2], signature: nil,
            certificate: DeviceCertificate(signature: [1], issuedAt: Self.time), createdAt: Self.time)
        #expect(
            Self.text { certified.write(to: &$0) }
                == #"{"device_id":"phone","identity_key":"+/8=","signing_key":"Ag==","signature":null,"#
                + #""certificate":"AQ==","issued_at":"\#(Self.timeText)","created_at":"\#(Self.timeText)"}"#)
        #expect(
            Self.text { keys.write(to: &$0) }
                == #"{"device_id":"phone","identity_key":"+/8=","signing_key":null,"signature":"AQ==","#
                + #""certificate":null,"issued_at":null,"created_at":"\#(Self.timeText)"}"#)
    }

    @Test("what a device signs is each part with its length before it")
    func signaturePreimage() {
        let expected: [UInt8] =
            [0, 14] + Array("parley/v1 keys".utf8) + [0, 5] + Array("alice".utf8) + [0, 5] + Array("phone".utf8)
            + [0, 2, 0xFB, 0xFF]
        #expect(DeviceKeys.signaturePreimage(alice, identityKey: [0xFB, 0xFF]) == expected)
    }

    @Test("devices and users are listed with what their operator needs")
    func listings() {
        let device = DeviceSummary(device: alice.device, createdAt: Self.time, expiresAt: Self.time, hasKeys: true)
        #expect(
            Self.text { device.write(to: &$0, isCurrent: false) }
                == #"{"device_id":"phone","name":null,"created_at":"\#(Self.timeText)","last_seen":null,"#
                + #""expires_at":"\#(Self.timeText)","has_keys":true,"is_certified":false,"push":null,"#
                + #""is_current":false}"#)
        let user = UserSummary(user: alice.user, displayName: "A", createdAt: Self.time, devices: [alice.device])
        #expect(
            Self.text { user.write(to: &$0) }
                == #"{"user_id":"alice","display_name":"A","created_at":"\#(Self.timeText)","devices":["phone"],"#
                + #""is_disabled":false}"#)
    }

    @Test("others see of a profile the name and the picture alone")
    func profiles() {
        let profile = Profile(
            user: alice.user, displayName: "A", photoURL: nil, messagePrivacy: .followers, sharesWorkoutData: false,
            sendsReadReceipts: true, sendsTyping: true, presence: .nobody,
            quietHours: QuietHours(from: "22:00", to: "07:00"), timeZone: nil)
        let visible = #""user_id":"alice","display_name":"A","photo_url":null,"followers_count":3,"following_count":4"#
        let counts = FollowCounts(followers: 3, following: 4)
        #expect(Self.text { ShownProfile(profile, counts, forOwner: false).write(to: &$0) } == "{\(visible)}")
        #expect(
            Self.text { ShownProfile(profile, counts, forOwner: true).write(to: &$0) }
                == "{\(visible)," + #""message_privacy":"followers","share_workout_data":false,"#
                + #""send_read_receipts":true,"send_typing":true,"presence":"nobody","#
                + #""quiet_hours":{"from":"22:00","to":"07:00"},"time_zone":null}"#)
    }

    @Test("texts are escaped where JSON wants it and nowhere else; commas stand between and not around")
    func writer() {
        #expect(
            Self.text { $0.value("\u{0}\u{1F}\n\r\t\u{8}\"\\/\u{7F}é\u{2028}😀") }
                == "\"\\u0000\\u001f\\n\\r\\t\\u0008\\\"\\\\/\u{7F}é\u{2028}😀\"")
        #expect(
            Self.text { writer in
                writer.array([1, 2]) { writer, value in writer.object { $0.member("n", value) } }
            } == #"[{"n":1},{"n":2}]"#)
        #expect(Self.text { $0.object { _ in } } == "{}")
        #expect(Self.text { $0.array([Int]()) { _, _ in } } == "[]")
        #expect(Self.text { $0.object { $0.member("least", Int.min) } } == #"{"least":-9223372036854775808}"#)
        var writer = JSONWriter(reusing: Array("before".utf8))
        writer.value(true)
        #expect(writer.count == 10 && writer.finish() == Array("beforetrue".utf8))
    }
}
