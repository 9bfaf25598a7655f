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

    @Test("no row is wider than the terminal, and of a line the name is what is cut", arguments: 1...60)
    func narrow(columns: Int) {
        let board = board(
            [("carol", "漢字の名前です Carol 💪🏽💪🏽", 12_345, 1, 3), ("alice", "alice", 5, 12, 1)], isFinal: false)
        let rows = board.rows(for: "alice", in: .utc, columns: columns)
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0.columns <= columns })
        if columns >= 16 { #expect(rows[1].text.hasSuffix(" 12345") && rows[2].text.hasSuffix("     5")) }
        #expect(board.rows(for: "alice", in: .utc, columns: 1_000) == board.rows(for: "alice", in: .utc))
    }

    @Test("a board without entries says so, and a final one that it is")
    func empty() {
        let rows = board([], isFinal: true).rows(for: "alice", in: .utc)
        #expect(rows.map(\.text) == ["check-ins, week 2026-W03, final", "Nobody yet."])
        let named = board([], isFinal: false).rows(for: "alice", in: .utc, weeksOf: "Europe/Berlin")
        #expect(named[0].text.hasSuffix(" here, weeks of Europe/Berlin"))
    }
}
