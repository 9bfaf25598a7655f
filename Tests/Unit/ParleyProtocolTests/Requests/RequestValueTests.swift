import ParleyProtocol
import Testing

@Suite("What requests are read as")
struct RequestValueTests {
    static let conversation = "7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a"
    static let message = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"

    static func read<R: Request>(_: R.Type, _ payload: String) throws -> R { try R(members: try JSONObject(payload)) }

    @Test("defaults stand where a field is left out")
    func defaults() throws {
        let id = try #require(ConversationID(Self.conversation))
        #expect(
            try Self.read(GetHistory.self, #"{"conversation_id":"\#(id)"}"#)
                == GetHistory(conversation: id, limit: 50, position: .newest))
        #expect(
            try Self.read(ListConversations.self, "{}")
                == ListConversations(limit: 20, offset: 0, archived: false))
        #expect(try Self.read(RenewDevice.self, "{}") == RenewDevice(device: nil))
        #expect(try Self.read(GetProfile.self, "{}") == GetProfile(user: nil))
        #expect(try Self.read(ListDevices.self, "{}") == ListDevices())
        #expect(try Self.read(ListUsers.self, "{}") == ListUsers(page: Page(limit: 50, cursor: nil)))
    }

    @Test("a page's place is a seq or an id")
    func positions() throws {
        func position(_ members: String) throws -> HistoryPosition? {
            let payload = #"{"conversation_id":"\#(Self.conversation)",\#(members)}"#
            return try Self.read(GetHistory.self, payload).position
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
        let create = try Self.read(CreateConversation.self, payload)
        #expect(create.participants.map(\.text) == ["c", "a", "b"])
        #expect(create.form == .group(id: nil, name: "G"))
    }

    @Test("a profile changes in what is named, is cleared by null, and else stays")
    func profile() throws {
        let before = Profile(
            user: UserID("alice"), displayName: "Alice", photoURL: "https://a", messagePrivacy: .anyone,
            sharesWorkoutData: true, sendsReadReceipts: true, sendsTyping: true, presence: .friends,
            quietHours: QuietHours(from: "22:00", to: "07:00"), timeZone: "UTC")
        func after(_ payload: String) throws -> Profile {
            try Self.read(ProfileChange.self, payload).applied(to: before)
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
