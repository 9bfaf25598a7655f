import ParleyClient
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

    /// A feed of `count` notifications, the newest first; a cursor is the number of those given.
    private func page(_ page: Page, of count: Int) -> ([FeedNotification], nextCursor: String?) {
        let start = page.cursor.flatMap { Int($0) } ?? 0
        let end = min(start + page.limit, count)
        let items = notifications((start..<end).map { UInt64(count - $0) })
        return (items, end < count ? "\(end)" : nil)
    }

    @Test("after an outage all that came is shown, page by page, and no page is asked for beyond what was shown")
    func missed() async throws {
        var feed = ShownNotifications()
        _ = feed.add(notifications([3, 2, 1]))
        var questions = 0
        let missed = try await feed.addMissed { page throws(ClientError) in
            questions += 1
            return self.page(page, of: 450)
        }
        #expect(numbers(missed) == Array(4...450) && questions == 3)
        let more = try await feed.addMissed { page throws(ClientError) in
            questions += 1
            return self.page(page, of: 452)
        }
        #expect(numbers(more) == [451, 452] && questions == 4)
    }

    @Test(
        "a gateway that always has a next page is asked a few times, and of a page that fails nothing counts as shown")
    func endless() async throws {
        var feed = ShownNotifications()
        var questions = 0
        _ = try await feed.addMissed { _ throws(ClientError) in
            questions += 1
            return ([], "more")
        }
        #expect(questions == 4)
        await #expect(throws: ClientError.self) {
            _ = try await feed.addMissed { page throws(ClientError) in
                if page.cursor != nil { throw .malformedReply }
                return self.page(page, of: 450)
            }
        }
        let all = feed.add(notifications((251...450).reversed()))
        #expect(all.count == 200)
    }

    @Test("of many no more are remembered than a feed may have, and those")
    func bounded() {
        var feed = ShownNotifications()
        for number in 1...5000 as ClosedRange<UInt64> { _ = feed.add(notifications([number])) }
        let page = feed.add(notifications((4801...5000).reversed()))
        #expect(page.isEmpty)
        let old = feed.add(notifications([1]))
        #expect(numbers(old) == [1])
    }
}
