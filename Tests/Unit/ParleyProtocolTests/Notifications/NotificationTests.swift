import ParleyProtocol
import Testing

@Suite("Notifications in JSON")
struct NotificationTests {
    private static let time = "2026-01-15T09:30:00.000Z"
    private static let id = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"
    private static let other = "7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a"
    private let bob = UserID(validated: "bob")

    private func notification(
        _ subject: NotificationSubject, badge: UnreadCount = .counted(3), isRead: Bool = false
    ) throws -> FeedNotification {
        FeedNotification(
            id: try #require(NotificationID(Self.id)), type: .known(.reaction), actor: UserID(validated: "alice"),
            subject: subject, badge: badge, isRead: isRead, createdAt: try #require(Timestamp(Self.time)),
            expiresAt: try #require(Timestamp(Self.time)))
    }

    @Test("a notification names what it is about, and nothing that it is not about")
    func notifications() throws {
        let message = try notification(
            NotificationSubject(conversation: ConversationID(Self.other), seq: 4, message: MessageID(Self.id)))
        let text =
            #"{"id":"\#(Self.id)","type":"reaction","actor_id":"alice","conversation_id":"\#(Self.other)","#
            + #""group_id":null,"seq":4,"message_id":"\#(Self.id)","badge":3,"is_read":false,"#
            + #""created_at":"\#(Self.time)","expires_at":"\#(Self.time)"}"#
        #expect(String(decoding: message.json, as: UTF8.self) == text)
        #expect(try FeedNotification(json: message.json) == message)
        let board = try notification(
            NotificationSubject(group: GroupID(Self.other), board: "streak", week: "2026-W03"), isRead: true)
        #expect(try FeedNotification(json: board.json) == board)
    }

    @Test("a type that a later version has added is read by its name")
    func laterTypes() throws {
        let text =
            #"{"id":"\#(Self.id)","type":"new_shoes","badge":0,"is_read":true,"shoes":1,"#
            + #""created_at":"\#(Self.time)","expires_at":"\#(Self.time)"}"#
        let read = try FeedNotification(json: Array(text.utf8))
        #expect(read.type == .unknown("new_shoes") && read.actor == nil && read.subject == NotificationSubject())
        #expect(throws: ReadingError.self) { try FeedNotification(json: Array(#"{"type":"reaction"}"#.utf8)) }
    }

    @Test("events about notifications are believed on the user's own topic for them, and nowhere else")
    func events() throws {
        let new = try notification(NotificationSubject())
        let cleared = NotificationsCleared(
            ids: [new.id], unreadCount: 0, badge: .counted(1), at: try #require(Timestamp(Self.time)))
        let all = NotificationsCleared(ids: nil, unreadCount: 0, badge: .counted(0), at: cleared.at)
        let read = NotificationsCleared(
            ids: [], conversation: ConversationID(Self.other), epoch: "k3Jx9w", seq: 7, unreadCount: 1,
            badge: .counted(0), at: cleared.at)
        let push = PushNotification(
            id: new.id, type: .known(.digest), user: bob, device: nil, badge: .counted(3), badgeAt: cleared.at,
            createdAt: cleared.at, expiresAt: cleared.at)
        func isRead<E: PublishedEvent>(_ event: E) throws {
            let payload = JSONWriter.bytes(event.writeEvent)
            #expect(try EventTable.read(payload, on: .user(bob, .notifications)) as? E == event)
            #expect(throws: ReadingError.self) { try EventTable.read(payload, on: .user(bob, .events)) }
        }
        try isRead(new)
        try isRead(push)
        for event in [read, cleared, all] { try isRead(event) }
    }

    @Test(
        "a push for somebody else is refused on the user's topic, and so is one that does not say for when its badge is"
    )
    func foreignPush() throws {
        let time = try #require(Timestamp(Self.time))
        let push = PushNotification(
            id: NotificationID(.random()), type: .known(.test), user: UserID(validated: "alice"), device: nil,
            badge: .counted(3),
            badgeAt: time, createdAt: time, expiresAt: time)
        let payload = JSONWriter.bytes { push.writeEvent(to: &$0) }
        #expect(throws: ReadingError.self) {
            try EventTable.read(payload, on: .user(bob, .notifications))
        }
        let text = String(decoding: payload, as: UTF8.self).replacing(#""badge_at":""#, with: #""badge_at":"x"#)
        #expect(throws: ReadingError.self) {
            try EventTable.read(Array(text.utf8), on: .user(UserID(validated: "alice"), .notifications))
        }
    }

    @Test("either ids or all are marked as read", arguments: [#"{"all":false}"#, #"{"ids":[],"all":true}"#, "{}"])
    func eitherOr(json: String) throws {
        let refusal = #expect(throws: Rejection.self) {
            try MarkNotificationsRead(members: JSONObject(parsing: Array(json.utf8)))
        }
        #expect(refusal?.code == .badRequest)
        #expect(try MarkNotificationsRead(members: JSONObject(parsing: Array(#"{"all":true}"#.utf8))).scope == .all)
        #expect(
            try MarkNotificationsRead(members: JSONObject(parsing: Array(#"{"ids":[],"all":false}"#.utf8))).scope
                == .some([]))
    }
}
