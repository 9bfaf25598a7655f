import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Boards that are watched")
struct LeaderboardWatchTests {
    private typealias Snapshots = AsyncThrowingStream<Leaderboard, any Error>
    private let group = GroupID.random()
    private var board: LeaderboardWatches.Board { LeaderboardWatches.Board(group: group, type: .checkIns) }

    private func leaderboard(
        version: Int, week: Int = 2900, type: LeaderboardType = .checkIns, value: Int = 1
    ) -> Leaderboard {
        let monday = CivilDay(daysSinceEpoch: 7 * week - 3)
        let time = Timestamp(milliseconds: 0)
        return Leaderboard(
            group: group, type: .known(type), week: ISOWeek(of: monday), startsAt: time, endsAt: time, closesAt: time,
            nextResetAt: time, version: version, isFinal: false,
            entries: [
                Leaderboard.Entry(
                    user: UserID(validated: "alice"), displayName: "Alice", photoURL: nil, value: value, rank: 1,
                    previousRank: nil, reachedAt: time)
            ])
    }

    /// Everything that a watcher is given of these boards.
    private func given(_ body: (LeaderboardWatches) -> Void) async throws -> [Int] {
        let (snapshots, watcher) = Snapshots.makeStream()
        let watches = LeaderboardWatches()
        let isFirst = watches.add(watcher, of: board)
        #expect(isFirst)
        body(watches)
        watches.close()
        var versions: [Int] = []
        for try await board in snapshots { versions.append(board.version) }
        return versions
    }

    @Test("each later board is given on, an earlier one or the same is not, and a new week begins anew")
    func order() async throws {
        let versions = try await given { watches in
            for (version, week) in [(3, 2900), (3, 2900), (2, 2900), (4, 2900), (1, 2901), (9, 2900), (2, 2901)] {
                let isUnwatched = watches.merge(heard: leaderboard(version: version, week: week), of: board)
                #expect(!isUnwatched)
            }
        }
        #expect(versions == [3, 4, 1, 2])
    }

    @Test("with a new connection what the gateway has then counts, though its version is an earlier one")
    func reconnection() async throws {
        let versions = try await given { watches in
            _ = watches.merge(heard: leaderboard(version: 7), of: board)
            watches.markConnected()
            _ = watches.merge(heard: leaderboard(version: 5), of: board)
            _ = watches.merge(heard: leaderboard(version: 4), of: board)
        }
        #expect(versions == [7, 5])
    }

    @Test("a board is asked for when it is watched, after each connection and when something was missed, once")
    func staleness() {
        let watches = LeaderboardWatches()
        let (_, watcher) = Snapshots.makeStream()
        _ = watches.add(watcher, of: board)
        let other = LeaderboardWatches.Board(group: .random(), type: .streak)
        func asked() -> [LeaderboardWatches.Board] {
            var boards: [LeaderboardWatches.Board] = []
            while let board = watches.nextStale() { boards.append(board) }
            return boards
        }
        #expect(watches.hasStale && asked() == [board] && !watches.hasStale && asked() == [])
        watches.markConnected()
        #expect(asked() == [board] && asked() == [])
        watches.markStale()
        #expect(asked() == [board] && asked() == [])
        watches.markStale(board)
        #expect(asked() == [board])
        watches.markStale(other)
        #expect(asked() == [])
    }

    @Test("a board that the gateway never gives keeps no other from being asked for: they take turns")
    func turns() {
        let watches = LeaderboardWatches()
        let (_, watcher) = Snapshots.makeStream()
        let boards = (0..<8).map { _ in LeaderboardWatches.Board(group: .random(), type: .checkIns) }
        for board in boards { _ = watches.add(watcher, of: board) }
        var rounds: [[LeaderboardWatches.Board]] = []
        for _ in 0..<3 {
            var round: [LeaderboardWatches.Board] = []
            for _ in boards {
                guard let board = watches.nextStale() else { continue }
                round.append(board)
                // There was no answer.
                watches.markStale(board)
            }
            rounds.append(round)
        }
        #expect(rounds.allSatisfy { Set($0) == Set(boards) && $0 == rounds[0] })
    }

    @Test("a second watcher is given at once what the first has, and of another board nothing")
    func watchers() async throws {
        let (first, one) = Snapshots.makeStream()
        let (second, two) = Snapshots.makeStream()
        let watches = LeaderboardWatches()
        _ = watches.add(one, of: board)
        _ = watches.merge(heard: leaderboard(version: 1), of: board)
        let isFirst = watches.add(two, of: board)
        // Nobody watches the other type.
        let isUnwatched = watches.merge(
            heard: leaderboard(version: 8, type: .streak), of: LeaderboardWatches.Board(group: group, type: .streak))
        #expect(!isFirst && isUnwatched)
        watches.close()
        for snapshots in [first, second] {
            var versions: [Int] = []
            for try await board in snapshots { versions.append(board.version) }
            #expect(versions == [1])
        }
    }

    @Test("who watches is told why it ends, and who has gone is found gone by the next board")
    func end() async {
        let watches = LeaderboardWatches()
        let (snapshots, watcher) = Snapshots.makeStream()
        _ = watches.add(watcher, of: board)
        watches.end(board, .refused(Rejection(.notFound, "")))
        await #expect(throws: ClientError.self) { for try await _ in snapshots {} }
        let (_, gone) = Snapshots.makeStream()
        _ = watches.add(gone, of: board)
        gone.finish()
        let isUnwatched = watches.merge(heard: leaderboard(version: 1), of: board)
        #expect(isUnwatched)
    }

    // MARK: A clock that ran ahead

    /// How often the board is asked for now.
    private func asked(_ watches: LeaderboardWatches) -> Int {
        var count = 0
        while watches.nextStale() != nil { count += 1 }
        return count
    }

    @Test("a board of an earlier week that is heard is asked about, and the answer counts, though its week is earlier")
    func clockSetBack() async throws {
        let versions = try await given { watches in
            _ = watches.merge(heard: leaderboard(version: 40, week: 2901), of: board)
            let before = (asked(watches), asked(watches))
            _ = watches.merge(heard: leaderboard(version: 31, week: 2900), of: board)
            let after = (asked(watches), asked(watches))
            #expect(before == (1, 0) && after == (1, 0))
            _ = watches.merge(answer: leaderboard(version: 31, week: 2900), of: board)
            // Once more, in case the week has turned meanwhile; the same answer settles it.
            let again = asked(watches)
            _ = watches.merge(answer: leaderboard(version: 31, week: 2900), of: board)
            let settled = asked(watches)
            _ = watches.merge(heard: leaderboard(version: 32, week: 2900), of: board)
            #expect(again == 1 && settled == 0)
        }
        #expect(versions == [40, 31, 32])
    }

    @Test(
        "a board that is late is not shown: the answer is the week that runs, and an answer overtaken by a new week is mended"
    )
    func late() async throws {
        let versions = try await given { watches in
            _ = watches.merge(heard: leaderboard(version: 1, week: 2901), of: board)
            _ = asked(watches)
            _ = watches.merge(heard: leaderboard(version: 90, week: 2900), of: board)
            let late = asked(watches)
            _ = watches.merge(answer: leaderboard(version: 1, week: 2901), of: board)
            let known = asked(watches)
            #expect(late == 1 && known == 0)
            // The question was answered before the week turned.
            _ = watches.merge(answer: leaderboard(version: 90, week: 2900), of: board)
            let overtaken = asked(watches)
            _ = watches.merge(answer: leaderboard(version: 2, week: 2901), of: board)
            let mended = asked(watches)
            #expect(overtaken == 1 && mended == 0)
        }
        #expect(versions == [1, 90, 2])
    }

    @Test("a gateway whose answers go back week after week is asked once more and not again")
    func everEarlier() async throws {
        let versions = try await given { watches in
            _ = watches.merge(heard: leaderboard(version: 1, week: 2901), of: board)
            _ = asked(watches)
            var questions = 0
            for week in (2000...2900).reversed() {
                _ = watches.merge(answer: leaderboard(version: 1, week: week), of: board)
                questions += asked(watches)
            }
            #expect(questions == 1)
        }
        #expect(versions.count == 902)
    }

    @Test("of one week a lower version counts neither heard nor as an answer, and asks nothing")
    func sameWeek() async throws {
        let versions = try await given { watches in
            _ = watches.merge(heard: leaderboard(version: 5), of: board)
            _ = asked(watches)
            _ = watches.merge(heard: leaderboard(version: 4), of: board)
            _ = watches.merge(answer: leaderboard(version: 4), of: board)
            let questions = asked(watches)
            #expect(questions == 0)
            _ = watches.merge(answer: leaderboard(version: 6), of: board)
        }
        #expect(versions == [5, 6])
    }
}
