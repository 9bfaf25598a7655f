import ParleyProtocol
import Testing

@testable import parley

@Suite("Notifications that are followed")
struct ShownNotificationsTests {
    private func notifications(_ numbers: some Sequence<UInt64>) -> [FeedNotification] {
        numbers.map { number in
            FeedNotification(
                id: NotificationID(UUIDValue(high: 1, low: number)), type: .known(.reaction), actor: nil,
                subject: NotificationSubject(), badge: .counted(0), isRead: false,
                createdAt: Timestamp(milliseconds: Int64(number)), expiresAt: .latest)
        }
    }

    private func numbers(_ notifications: [FeedNotification]) -> [Int64] { notifications.map(\.createdAt.milliseconds) }

    @Test("each is shown once, the newest last, whether it was listed or came by itself")
    func once() {
        var feed = ShownNotifications()
        let listed = feed.add(notifications([3, 2, 1]))
        let live = feed.add(notifications([4])) + feed.add(notifications([4]))
        let missed = feed.add(notifications([6, 5, 4, 3, 2, 1]))
        #expect(numbers(listed) == [1, 2, 3] && numbers(live) == [4] && numbers(missed) == [5, 6])
    }

    @Test("of many no more are remembered than a page may have, and those")
    func bounded() {
        var feed = ShownNotifications()
        for number in 1...5000 as ClosedRange<UInt64> { _ = feed.add(notifications([number])) }
        let page = feed.add(notifications((4801...5000).reversed()))
        #expect(page.isEmpty)
        let old = feed.add(notifications([1]))
        #expect(numbers(old) == [1])
    }
}
