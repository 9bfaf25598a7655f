import ParleyProtocol

/// Reads the watched boards: retained events, then each change; a board of which something may have been missed is
/// requested.
struct LeaderboardReader {
    let boards: LeaderboardWatches, progress: ConnectionProgress, gateway: GatewayAccess, boardSignal: WakeSignal

    /// Requests stale boards, and waits for more.
    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            guard progress.isConnected, let board = boards.nextStale() else {
                await boardSignal.wait()
                continue
            }
            do throws(ClientError) {
                let leaderboard = try await gateway.ask(GetLeaderboard(group: board.group, type: board.type))
                // Another board than the requested one is ignored.
                guard leaderboard.board == board else {
                    if leaderboard.group != board.group { gateway.report(.otherGroup(leaderboard.group)) }
                    continue
                }
                end(board, ifUnwatched: boards.merge(answer: leaderboard, of: board))
            } catch {
                if error.isFinalRefusal { end(board, error) } else if progress.isConnected { await retry(board) }
                // Without a connection the next one requests it again.
            }
        }
    }

    /// Subscribes to a board, and requests it.
    func watch(_ board: LeaderboardWatches.Board, by watcher: LeaderboardWatches.Watcher) {
        if boards.add(watcher, of: board) { gateway.connection.subscribe(to: board.topic) }
        boardSignal.signal()
    }

    func handle(_ leaderboard: Leaderboard) {
        guard let board = leaderboard.board else { return }
        end(board, ifUnwatched: boards.merge(heard: leaderboard, of: board))
        // A board that the gateway could not give stays due.
        if boards.hasStale { boardSignal.signal() }
    }

    private func end(_ board: LeaderboardWatches.Board, ifUnwatched isUnwatched: Bool) {
        if isUnwatched { gateway.connection.unsubscribe(from: board.topic) }
    }

    func readAgain() {
        boards.markStale()
        boardSignal.signal()
    }

    /// The broker refused a subscription: the gateway says whether the user is a member.
    func checkAccess(to group: GroupID, _ channel: GroupChannel) {
        guard let type = LeaderboardType.allCases.first(where: { $0.channel == channel }) else { return }
        boards.markStale(LeaderboardWatches.Board(group: group, type: type))
        boardSignal.signal()
    }

    private func end(_ board: LeaderboardWatches.Board, _ error: ClientError) {
        boards.end(board, error)
        gateway.connection.unsubscribe(from: board.topic)
    }

    private nonisolated(nonsending) func retry(_ board: LeaderboardWatches.Board) async {
        await boardSignal.wait(until: .now + .seconds(1))
        boards.markStale(board)
    }
}

extension Leaderboard {
    /// `nil` for a type of a later version.
    fileprivate var board: LeaderboardWatches.Board? {
        type.value.map { LeaderboardWatches.Board(group: group, type: $0) }
    }
}
