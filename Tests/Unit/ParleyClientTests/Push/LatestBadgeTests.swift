import ParleyClient
import ParleyProtocol
import Testing

@Suite("The badge of an app's icon")
struct LatestBadgeTests {
    private let now = Timestamp(milliseconds: 1_000_000_000)

    private func badge(_ count: Int, _ seconds: Int64) -> Badge {
        Badge(count: count, at: now.advanced(byMilliseconds: seconds * 1000))
    }

    @Test("in whatever order badges come, and however often, the one of the latest time is shown")
    func anyOrder() {
        let badges = [badge(3, -30), badge(4, -20), badge(4, -20), badge(1, -10), badge(0, -5), badge(2, -5)]
        for rotation in badges.indices {
            var latest = LatestBadge()
            for badge in badges[rotation...] + badges[..<rotation] { latest.merge(badge, now: now) }
            #expect(latest.count == 2 && latest.badge == badge(2, -5))
            latest = LatestBadge()
            for badge in (badges[rotation...] + badges[..<rotation]).reversed() { latest.merge(badge, now: now) }
            #expect(latest.badge == badge(2, -5))
        }
    }

    @Test("an older badge that comes late changes nothing, a newer one does, also to less")
    func olderIsIgnored() {
        var latest = LatestBadge(badge(5, -10))
        #expect(on(&latest) { $0.merge(badge(9, -11), now: now) } == false)
        #expect(on(&latest) { $0.merge(badge(1, -12), now: now) } == false)
        #expect(latest.count == 5)
        #expect(on(&latest) { $0.merge(badge(1, -9), now: now) })
        #expect(latest.count == 1)
        #expect(on(&latest) { $0.merge(badge(1, -8), now: now) } == false)
        #expect(latest.badge == badge(1, -8))
    }

    @Test("one from a far future keeps the others away for an hour at most")
    func future() {
        var latest = LatestBadge()
        latest.merge(Badge(count: 99, at: .latest), now: now)
        #expect(latest.count == 99)
        latest.merge(badge(1, 3599), now: now.advanced(byMilliseconds: 3_599_000))
        #expect(latest.count == 99)
        latest.merge(badge(1, 3601), now: now.advanced(byMilliseconds: 3_601_000))
        #expect(latest.count == 1)
    }

    @Test(
        "no number is too large or too small for an icon", arguments: [(Int.min, 0), (-1, 0), (7, 7), (.max, 99_999)])
    func bounds(count: Int, shown: Int) {
        #expect(Badge(count: count, at: now).count == shown)
    }
}
