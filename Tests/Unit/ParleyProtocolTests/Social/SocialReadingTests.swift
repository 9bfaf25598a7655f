import ParleyProtocol
import Testing

/// What is between people, as a device reads it from replies and events.
@Suite("Replies and events about people as a device reads them")
struct SocialReadingTests {
    private static let time = "2026-01-15T09:30:00.000Z"
    private static let conversation = "7ff2d9c8-d0a4-8046-9527-01d1046656da"
    private static let message = "0b0c1d2e-3f40-4152-8364-758697a8b9ca"

    private func read<Value: GatewayValue>(_ json: String, as _: Value.Type = Value.self) throws -> Value {
        try Value(json: Array(json.utf8))
    }

    private func event(_ type: String, _ data: String, on topic: Topic = .user(UserID(validated: "bob"), .events))
        throws -> (any PublishedEvent)?
    {
        try EventTable.read(Array(#"{"type":"\#(type)","data":\#(data)}"#.utf8), on: topic)
    }

    private static func record(sender: String = "alice", conversation: String = conversation) -> String {
        #"{"id":"\#(message)","conversation_id":"\#(conversation)","epoch":"e","seq":1,"sender_id":"\#(sender)","#
            + #""sender_device_id":"phone","message_type":"text","created_at":"\#(time)"}"#
    }

    @Test("pages have people, and where the next begins")
    func people() throws {
        let page: ListPage<ListedPerson> = try read(
            #"{"items":[{"user_id":"alice","display_name":"Alice","later":1},{"user_id":"bob"}],"next_cursor":"x"}"#)
        #expect(page.items.map(\.user.text) == ["alice", "bob"] && page.items[0].displayName == "Alice")
        #expect(page.nextCursor == "x")
        let last: ListPage<ListedPerson> = try read(#"{"items":[],"next_cursor":null}"#)
        #expect(last.items.isEmpty && last.nextCursor == nil)
        #expect(throws: ReadingError.self) { try read(#"{"items":[{}]}"#, as: ListPage<ListedPerson>.self) }
        #expect(throws: ReadingError.self) { try read(#"{}"#, as: ListPage<ListedPerson>.self) }
    }

    @Test("counts and permissions hold what they should")
    func counts() throws {
        #expect(
            try read(#"{"followers_count":3,"following_count":0}"#) == FollowCounts(followers: 3, following: 0))
        #expect(throws: ReadingError.self) {
            try read(#"{"followers_count":-1,"following_count":0}"#, as: FollowCounts.self)
        }
        #expect(
            try read(#"{"can_message":true,"is_limited":true,"reason":"request"}"#)
                == PermissionReply(canMessage: true, isLimited: true, reason: "request"))
        #expect(throws: ReadingError.self) { try read(#"{"is_limited":true}"#, as: PermissionReply.self) }
    }

    @Test("a message request has its message, and none of another's")
    func requests() throws {
        let head = #"{"conversation_id":"\#(Self.conversation)","user_id":"alice","created_at":"\#(Self.time)","#
        let request: MessageRequest = try read(head + #""message":\#(Self.record())}"#)
        #expect(request.user.text == "alice" && request.message?.seq == 1)
        let gone: MessageRequest = try read(head + #""message":null}"#)
        #expect(gone.message == nil)
        for record in [Self.record(sender: "mallory"), Self.record(conversation: Self.message)] {
            #expect(throws: ReadingError.self) {
                try read(head + #""message":\#(record)}"#, as: MessageRequest.self)
            }
        }
        #expect(try event("message.request", head + #""message":null}"#) as? MessageRequest == gone)
    }

    @Test("events on a user's own topic are believed there and nowhere else")
    func events() throws {
        let alice = UserID(validated: "alice")
        for kind in PersonNotice.Kind.allCases {
            let notice = try event(kind.rawValue, #"{"user_id":"alice"}"#) as? PersonNotice
            #expect(notice == PersonNotice(kind, alice))
        }
        let id = try #require(ConversationID(Self.conversation))
        let reading = ConversationReading(
            conversation: id, message: MessageID(Self.message), seq: 4, unread: .counted(2),
            at: try #require(Timestamp(Self.time)))
        let data =
            #"{"conversation_id":"\#(id)","last_read_message_id":"\#(Self.message)","seq":4,"unread_count":2,"#
            + #""at":"\#(Self.time)"}"#
        #expect(try event("conversation.read", data) as? ConversationReading == reading)
        let settings =
            #"{"conversation_id":"\#(id)","is_muted":true,"muted_until":null,"is_archived":false,"is_unread":true}"#
        #expect(
            try event("conversation.settings", settings) as? ConversationSettings
                == ConversationSettings(
                    conversation: id, preferences: ConversationPreferences(muting: .forever, isMarkedUnread: true)))
        for (type, data) in [("conversation.read", data), ("friend.added", #"{"user_id":"alice"}"#)] {
            #expect(throws: ReadingError.misplaced(type: type)) {
                try event(type, data, on: .conversation(id, .messages))
            }
        }
    }
}
