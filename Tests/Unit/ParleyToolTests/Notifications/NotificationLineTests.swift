import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("What is printed of notifications and activity")
struct NotificationLineTests {
    private let alice = UserID(validated: "alice")
    private let bob = UserID(validated: "bob")
    private let time = Timestamp(milliseconds: 1_768_469_400_000)

    private func notification(
        _ type: Named<NotificationType>, _ subject: NotificationSubject = NotificationSubject(), isRead: Bool = false
    ) -> FeedNotification {
        FeedNotification(
            id: NotificationID(UUIDValue(high: 1, low: 1)), type: type, actor: bob, subject: subject,
            badge: .counted(0), isRead: isRead, createdAt: time, expiresAt: time)
    }

    @Test("a line has the time, a mark where it is unread, and who has done what")
    func lines() {
        let group = GroupID(UUIDValue(high: 1, low: 2))
        let passed = notification(.known(.rankChange), NotificationSubject(group: group, board: "streak"))
        #expect(
            passed.line(in: .utc)
                == "* 2026-01-15 09:30:00 bob has passed you on the board streak of group \(group.short)")
        let joined = notification(.known(.newMember), NotificationSubject(group: group))
        let titles = Titles(groups: [group: "Morning run"])
        #expect(joined.line(in: .utc, titles) == "* 2026-01-15 09:30:00 Morning run: bob joined")
        let activity = ActivityID.random()
        let reaction = notification(.known(.reaction), NotificationSubject(activity: activity))
        #expect(reaction.sentence() == "bob has reacted to your activity \(activity.short)")
        let asked = notification(.known(.messageRequest), isRead: true)
        #expect(asked.line(in: .utc) == "  2026-01-15 09:30:00 bob wants to write")
    }

    @Test(
        "every type has a sentence of its own, and one of a later version its name",
        arguments: NotificationType.allCases)
    func sentences(type: NotificationType) {
        let others = NotificationType.allCases.filter { $0 != type }.map { notification(.known($0)).sentence() }
        #expect(!others.contains(notification(.known(type)).sentence()))
        #expect(notification(.unknown("new_shoes")).sentence() == "new_shoes")
    }

    @Test("an item is one line, whatever is written in it, with who reacts how")
    func items() {
        let item = ActivityItem(
            id: ActivityID(UUIDValue(high: 1, low: 1)), user: alice, type: .known(.goalReached), title: "5 km\u{1B}[2J",
            description: "two\nlines", metadata: Array("{}".utf8), timestamp: time, reactions: [bob: "👏", alice: "😀"])
        let line = item.line(in: .utc)
        #expect(line.hasPrefix("2026-01-15 09:30:00 alice: 5 km"))
        #expect(line.hasSuffix("[😀 alice, 👏 bob]"))
        #expect(!line.contains("\u{1B}") && !line.contains("\n"))
    }

    @Test("events of both are lines for people, and objects for programs")
    func events() throws {
        let id = ActivityID(UUIDValue(high: 1, low: 1))
        let reaction = ActivityReaction(item: id, user: bob, owner: alice, emoji: "👏", at: time)
        let events: [(ClientEvent, String, String)] = [
            (.gateway(notification(.known(.messageRequest))), "bob wants to write", "notification.new"),
            (
                .gateway(NotificationsCleared(ids: nil, unreadCount: 2, badge: .counted(0), at: time)),
                "2 notifications are unread", "notification.cleared"
            ),
            (.gateway(reaction), "bob reacts 👏 to \(id.short) of alice", "activity.reaction"),
        ]
        for (event, sentence, name) in events {
            #expect(event.line(asJSON: false) == sentence)
            let json = try #require(event.line(asJSON: true))
            #expect(try JSONObject(parsing: Array(json.utf8)).text("event", maximum: 64) == name)
        }
    }
}
