import parley_model
import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("Ranks on a board")
struct StandingsTests {
    private func score(_ value: Int, _ reached: Int64 = 0) -> BoardScore {
        BoardScore(value: value, reachedAt: at(reached))
    }

    private func ranks(_ standings: Standings) -> [String] {
        standings.lines.map { "\($0.rank) \($0.user) \($0.score.value)" + ($0.previousRank.map { " was \($0)" } ?? "") }
    }

    @Test("equal values have one rank, and the next is left out")
    func competition() {
        var board = Standings()
        board.set("alice", score(5), joinedAt: at(0))
        board.set("bob", score(5, 1), joinedAt: at(0))
        board.set("carol", score(3), joinedAt: at(0))
        #expect(ranks(board) == ["1 alice 5", "1 bob 5", "3 carol 3"])
    }

    @Test("the order is by value, then who reached it first, then who joined first, then by id")
    func order() {
        var board = Standings()
        board.set("d", score(2, 9), joinedAt: at(9))
        board.set("c", score(1, 1), joinedAt: at(9))
        board.set("b", score(1, 2), joinedAt: at(1))
        board.set("a", score(1, 2), joinedAt: at(2))
        board.set("Z", score(1, 2), joinedAt: at(2))
        #expect(board.lines.map(\.user) == ["d", "c", "b", "Z", "a"])
    }

    @Test("the previous rank is the one before the last change, whatever else changes meanwhile")
    func previous() {
        var board = Standings()
        board.set("alice", score(5), joinedAt: at(0))
        board.set("bob", score(4), joinedAt: at(0))
        #expect(ranks(board) == ["1 alice 5", "2 bob 4"])
        board.set("bob", score(6), joinedAt: at(0))
        #expect(ranks(board) == ["1 bob 6 was 2", "2 alice 5 was 1"])
        board.set("bob", score(7), joinedAt: at(0))
        #expect(ranks(board) == ["1 bob 7 was 2", "2 alice 5 was 1"])
        board.set("carol", score(7), joinedAt: at(0))
        #expect(ranks(board) == ["1 bob 7 was 2", "1 carol 7", "3 alice 5 was 2"])
        board.set("bob", nil, joinedAt: at(0))
        board.set("bob", score(1), joinedAt: at(0))
        #expect(ranks(board) == ["1 carol 7", "2 alice 5 was 3", "3 bob 1"])
    }

    @Test("who was passed is told, and who has come down by nobody's doing is not")
    func passed() {
        var board = Standings()
        for (user, value) in [("alice", 5), ("bob", 4), ("carol", 3)] as [(UserID, Int)] {
            board.set(user, score(value), joinedAt: at(0))
        }
        let before = board
        board.set("carol", score(5, 1), joinedAt: at(0))
        #expect(board.passed(since: before) == ["bob"])
        board.set("carol", nil, joinedAt: at(0))
        #expect(board.passed(since: before).isEmpty)
    }

    @Test("what is over sooner or later looks the same on a board, and the first that is over is known")
    func lapses() {
        var board = Standings()
        board.set("alice", BoardScore(value: 5, reachedAt: at(0), lapsesAt: at(9)), joinedAt: at(0))
        board.set("bob", BoardScore(value: 4, reachedAt: at(0), lapsesAt: at(8)), joinedAt: at(0))
        #expect(board.lapsesAt == at(8))
        let isChanged = board.set("bob", BoardScore(value: 4, reachedAt: at(0), lapsesAt: at(20)), joinedAt: at(0))
        #expect(!isChanged)
        #expect(board.lapsesAt == at(9))
    }

    @Test("nothing changes where nothing is new")
    func unchanged() {
        var board = Standings()
        let changes = [
            board.set("alice", nil, joinedAt: at(0)), board.set("alice", score(1), joinedAt: at(0)),
            board.set("alice", score(1), joinedAt: at(0)), board.set("alice", nil, joinedAt: at(0)),
        ]
        #expect(changes == [false, true, false, true])
        #expect(board.lines.isEmpty)
    }
}

/// `scripts/model.sh --boards-only` goes through 100,000 histories.
@Suite("Boards beside a slow oracle", .seeded)
struct BoardModelTests {
    @Test("agree after every step of random histories")
    func agreement() throws {
        let tally = try BoardComparison(seed: Seeded.seed).run(0..<300)
        #expect(tally.unseen.isEmpty, "\(tally)")
        #expect(tally.longestStreak > 20)
    }

    @Test("faults are found", arguments: BoardComparison.Fault.allCases)
    func faults(_ fault: BoardComparison.Fault) {
        #expect(throws: BoardComparison.DifferenceError.self) {
            try BoardComparison(seed: Seeded.seed, fault: fault).run(0..<2_000)
        }
    }
}
