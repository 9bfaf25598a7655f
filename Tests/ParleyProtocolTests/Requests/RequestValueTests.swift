import ParleyProtocol
import Testing

@Suite("What requests are read as")
struct RequestValueTests {
    static let conversation = "7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a"
    static let message = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"

    static func read(_ kind: RequestKind, _ payload: String) throws -> Request {
        try Request(kind, try JSONObject(payload))
    }

    @Test("defaults stand where a field is left out")
    func defaults() throws {
        let id = try #require(ConversationID(Self.conversation))
        #expect(
            try Self.read(.getHistory, #"{"conversation_id":"\#(id)"}"#)
                == .getHistory(GetHistory(conversation: id, limit: 50, position: .newest)))
        #expect(
            try Self.read(.listConversations, "{}")
                == .listConversations(ListConversations(limit: 20, offset: 0, archived: false)))
        #expect(try Self.read(.renewDevice, "{}") == .renewDevice(nil))
        #expect(try Self.read(.getProfile, "{}") == .getProfile(nil))
        #expect(try Self.read(.listDevices, "{}") == .listDevices)
        guard case .listUsers(let users) = try Self.read(.listUsers, "{}") else {
            Issue.record("not list-users")
            return
        }
        #expect(users.limit == 50 && users.after == nil)
    }

    @Test("each operation is read as its own request")
    func ownRequest() throws {
        let id = try #require(ConversationID(Self.conversation))
        let message = try #require(MessageID(Self.message))
        let (alice, phone) = (try #require(UserID("alice")), try #require(DeviceID("phone")))
        let both = #"{"conversation_id":"\#(id)","message_id":"\#(message)"}"#
        #expect(
            try Self.read(.markRead, both)
                == .markReceipt(MarkReceipt(kind: .read, conversation: id, message: message)))
        #expect(
            try Self.read(.markDelivered, both)
                == .markReceipt(MarkReceipt(kind: .delivered, conversation: id, message: message)))
        #expect(try Self.read(.startTyping, both) == .startTyping(id))
        #expect(try Self.read(.stopTyping, both) == .stopTyping(id))
        #expect(try Self.read(.getConversation, both) == .getConversation(id))
        #expect(try Self.read(.getKeys, #"{"user_id":"alice"}"#) == .getKeys(alice))
        #expect(try Self.read(.revokeDevice, #"{"device_id":"phone"}"#) == .revokeDevice(phone))
        #expect(
            try Self.read(.revokeUserDevice, #"{"user_id":"alice","device_id":"phone"}"#)
                == .revokeUserDevice(RevokeUserDevice(address: DeviceAddress(user: alice, device: phone))))
        guard
            case .addDevice(let device) = try Self.read(
                .addDevice, #"{"user_id":"alice","device_id":"phone","ttl_days":7}"#),
            case .addUser(let user) = try Self.read(.addUser, #"{"user_id":"alice","display_name":"Alice A."}"#)
        else {
            Issue.record("not the admin's requests")
            return
        }
        #expect(device.address == DeviceAddress(user: alice, device: phone) && device.lifetimeDays == 7)
        #expect(user.user == alice && user.displayName == "Alice A.")
    }

    @Test("a page's place is a seq or an id")
    func positions() throws {
        func position(_ members: String) throws -> HistoryPosition? {
            let payload = #"{"conversation_id":"\#(Self.conversation)",\#(members)}"#
            guard case .getHistory(let history) = try Self.read(.getHistory, payload) else { return nil }
            return history.position
        }
        let id = try #require(MessageID(Self.message))
        #expect(try position(#""before":42"#) == .before(.seq(42)))
        #expect(try position(#""after":4.2e1"#) == .after(.seq(42)))
        #expect(try position(#""after":0"#) == .after(.seq(0)))
        #expect(try position(#""around":"\#(Self.message)""#) == .around(.id(id)))
    }

    @Test("participants are each named once, in their order")
    func participants() throws {
        let payload = #"{"type":"group","name":"G","participant_ids":["c","a","c","b","a"]}"#
        guard case .createConversation(let create) = try Self.read(.createConversation, payload) else {
            Issue.record("not a creation")
            return
        }
        #expect(create.participants.map(\.text) == ["c", "a", "b"])
        #expect(create.form == .group(id: nil, name: "G"))
    }

    @Test("a profile changes in what is named, is cleared by null, and else stays")
    func profile() throws {
        let before = Profile(
            user: try #require(UserID("alice")), displayName: "Alice", photoURL: "https://a", messagePrivacy: .anyone,
            sharesWorkoutData: true, sendsReadReceipts: true, sendsTyping: true, presence: .friends,
            quietHours: QuietHours(from: "22:00", to: "07:00"), timeZone: "UTC")
        func after(_ payload: String) throws -> Profile {
            guard case .setProfile(let change) = try Self.read(.setProfile, payload) else { return before }
            return change.applied(to: before)
        }
        #expect(try after("{}") == before)
        #expect(try after(#"{"photo_url":null}"#).photoURL == nil)
        #expect(try after(#"{"photo_url":null}"#).quietHours == before.quietHours)
        #expect(try after(#"{"quiet_hours":null,"time_zone":"Europe/Berlin"}"#).quietHours == nil)
        #expect(try after(#"{"quiet_hours":null,"time_zone":"Europe/Berlin"}"#).timeZone == "Europe/Berlin")
        #expect(
            try after(#"{"quiet_hours":{"from":"00:00","to":"23:59"}}"#).quietHours
                == QuietHours(from: "00:00", to: "23:59"))
        #expect(try after(#"{"display_name":null,"presence":null,"send_typing":null}"#) == before)
        let changed = try after(
            #"{"display_name":"B","message_privacy":"followers","share_workout_data":false,"send_read_receipts":false,"send_typing":false,"presence":"nobody"}"#
        )
        #expect(changed.displayName == "B" && changed.messagePrivacy == .followers && changed.presence == .nobody)
        #expect(!changed.sharesWorkoutData && !changed.sendsReadReceipts && !changed.sendsTyping)
        #expect(changed.photoURL == before.photoURL)
    }
}
