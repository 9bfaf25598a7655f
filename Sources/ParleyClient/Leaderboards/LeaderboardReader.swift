import ParleyProtocol

/// Reads the boards that are watched: what the broker retains first, then each change; what may have been missed is
/// asked for.
struct LeaderboardReader {
    let boards: LeaderboardWatches, progress: ConnectionProgress, gateway: GatewayAccess, boardSignal: WakeSignal

    /// Asks for boards of which something may have been missed, and waits for more.
    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            guard progress.isConnected, let board = boards.nextStale() else {
                await boardSignal.wait()
                continue
            }
            do throws(ClientError) {
                let leaderboard = try await gateway.ask(GetLeaderboard(group: board.group, type: board.type))
                // What is not the board that it should be is nobody's.
                guard leaderboard.board == board else {
                    if leaderboard.group != board.group { gateway.report(.otherGroup(leaderboard.group)) }
                    continue
                }
                end(board, ifUnwatched: boards.merge(answer: leaderboard, of: board))
            } catch {
                if error.isFinalRefusal { end(board, error) } else if progress.isConnected { await retry(board) }
                // Without a connection the next one asks again.
            }
        }
    }

    /// Hears a board from now on, and asks for it.
    func watch(_ board: LeaderboardWatches.Board, by watcher: LeaderboardWatches.Watcher) {
        if boards.add(watcher, of: board) { gateway.connection.subscribe(to: board.topic) }
        boardSignal.signal()
    }

    /// A board has changed.
    func handle(_ leaderboard: Leaderboard) {
        guard let board = leaderboard.board else { return }
        end(board, ifUnwatched: boards.merge(heard: leaderboard, of: board))
        // One that the gateway could not give is asked for again in its time, whatever is heard meanwhile.
        if boards.hasStale { boardSignal.signal() }
    }

    private func end(_ board: LeaderboardWatches.Board, ifUnwatched isUnwatched: Bool) {
        if isUnwatched { gateway.connection.unsubscribe(from: board.topic) }
    }

    /// Something may have been missed.
    func readAgain() {
        boards.markStale()
        boardSignal.signal()
    }

    /// The broker refuses a subscription: the gateway says whether the user is a member.
    func checkAccess(to group: GroupID, _ channel: GroupChannel) {
        guard let type = LeaderboardType.allCases.first(where: { $0.channel == channel }) else { return }
        boards.markStale(LeaderboardWatches.Board(group: group, type: type))
        boardSignal.signal()
    }

    func close() { boards.close() }

    private func end(_ board: LeaderboardWatches.Board, _ error: ClientError) {
        boards.end(board, error)
        gateway.connection.unsubscribe(from: board.topic)
    }

    /// The gateway cannot say now: asked again a little later.
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
