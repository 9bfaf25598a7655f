import ParleyProtocol
import TestNames
import Testing

@testable import parley

@Suite("A board as a table")
struct BoardTableTests {
    private func board(_ entries: [(user: UserID, name: String, value: Int, rank: Int, previous: Int?)], isFinal: Bool)
        -> Leaderboard
    {
        // Monday, 2026-01-12.
        let start = Timestamp(milliseconds: 1_768_176_000_000)
        let end = start.advanced(byMilliseconds: 7 * 86_400_000)
        return Leaderboard(
            group: .random(), type: .known(.checkIns), week: ISOWeek(of: CivilDay(daysSinceEpoch: 20_465)),
            startsAt: start, endsAt: end, closesAt: end, nextResetAt: end, version: 3, isFinal: isFinal,
            entries: entries.map { entry in
                Leaderboard.Entry(
                    user: entry.user, displayName: entry.name, photoURL: nil, value: entry.value,
                    rank: entry.rank, previousRank: entry.previous, reachedAt: start)
            })
    }

    @Test("ranks, arrows, names and values stand in columns, and the reader's own line is marked")
    func table() {
        let rows = board(
            [
                ("carol", "Carol", 12, 1, 3), ("alice", "alice", 5, 2, 1), ("bob", "Bob\u{1B}[2J", 5, 2, nil),
            ], isFinal: false
        ).rows(for: "alice", in: .utc)
        #expect(
            rows.map(\.text) == [
                "check-ins, week 2026-W03, until Mon 19 Jan 2026 00:00",
                "  1 ↑2  Carol (carol)       12",
                "> 2 ↓1  alice                5",
                "  2     Bob\\u{1b}[2J (bob)   5",
            ])
        #expect(!rows.map(\.text).joined().contains("\u{1B}"))
        #expect(rows[2].pieces.allSatisfy { $0.style == .bold || $0.text.hasPrefix("↓") })
    }

    @Test("a board without entries says so, and a final one that it is")
    func empty() {
        let rows = board([], isFinal: true).rows(for: "alice", in: .utc)
        #expect(rows.map(\.text) == ["check-ins, week 2026-W03, final", "Nobody yet."])
    }
}
