import ParleyClient
import ParleyProtocol
import Testing

@Suite("The badge of an app's icon")
struct BadgeBoardTests {
    private let now = Timestamp(milliseconds: 1_000_000_000)

    private func badge(_ count: Int, _ seconds: Int64) -> Badge {
        Badge(count: count, at: now.advanced(byMilliseconds: seconds * 1000))
    }

    @Test("in whatever order badges come, and however often, the one of the latest time is shown")
    func anyOrder() {
        let badges = [badge(3, -30), badge(4, -20), badge(4, -20), badge(1, -10), badge(0, -5), badge(2, -5)]
        for rotation in badges.indices {
            var board = BadgeBoard()
            for badge in badges[rotation...] + badges[..<rotation] { board.merge(badge, now: now) }
            #expect(board.count == 2 && board.badge == badge(2, -5))
            board = BadgeBoard()
            for badge in (badges[rotation...] + badges[..<rotation]).reversed() { board.merge(badge, now: now) }
            #expect(board.badge == badge(2, -5))
        }
    }

    @Test("an older badge that comes late changes nothing, a newer one does, also to less")
    func olderIsIgnored() {
        var board = BadgeBoard(badge(5, -10))
        #expect(on(&board) { $0.merge(badge(9, -11), now: now) } == false)
        #expect(on(&board) { $0.merge(badge(1, -12), now: now) } == false)
        #expect(board.count == 5)
        #expect(on(&board) { $0.merge(badge(1, -9), now: now) })
        #expect(board.count == 1)
        #expect(on(&board) { $0.merge(badge(1, -8), now: now) } == false)
        #expect(board.badge == badge(1, -8))
    }

    @Test("one from a far future keeps the others away for an hour at most")
    func future() {
        var board = BadgeBoard()
        board.merge(Badge(count: 99, at: .latest), now: now)
        #expect(board.count == 99)
        board.merge(badge(1, 3599), now: now.advanced(byMilliseconds: 3_599_000))
        #expect(board.count == 99)
        board.merge(badge(1, 3601), now: now.advanced(byMilliseconds: 3_601_000))
        #expect(board.count == 1)
    }

    @Test(
        "no number is too large or too small for an icon", arguments: [(Int.min, 0), (-1, 0), (7, 7), (.max, 99_999)])
    func bounds(count: Int, shown: Int) {
        #expect(Badge(count: count, at: now).count == shown)
    }
}
