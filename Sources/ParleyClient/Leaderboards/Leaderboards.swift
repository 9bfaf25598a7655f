import ParleyProtocol

extension MessagingClient {
    /// Boards of the user's groups.
    public nonisolated var leaderboards: Leaderboards { Leaderboards(client: self) }

    /// Boards of the user's groups: ``MessagingClient/leaderboards``.
    public struct Leaderboards: Sendable {
        let client: MessagingClient

        /// A board as the gateway has it now.
        ///
        /// - Parameter week: of the group's; `nil` for the one that runs. Weeks are kept for 90 days.
        /// - Throws: ``ClientError/refused(_:)`` with `not_found` to whom is no member, and for a week that is not
        ///   kept; ``ClientError/gatewayFault(_:)`` for the board of another group.
        public func board(
            of group: GroupID, _ type: LeaderboardType, week: ISOWeek? = nil
        ) async throws(ClientError) -> Leaderboard {
            try await client.perform { context throws(ClientError) in
                let board = try await context.gateway.ask(GetLeaderboard(group: group, type: type, week: week))
                guard board.group == group else { throw context.gateway.report(.otherGroup(board.group)) }
                guard board.type == .known(type), week == nil || board.week == week else { throw .malformedReply }
                return board
            }
        }

        /// A board of the week that runs, as it is and each time it changes: snapshots, each whole, of which a slow
        /// reader gets the last.
        ///
        /// It goes on over lost connections, and what was missed meanwhile is asked for. It begins anew with each week.
        ///
        /// - Returns: a sequence that ends with the client, and throws ``ClientError/refused(_:)`` when the user is no
        ///   member any more.
        public func snapshots(
            of group: GroupID, _ type: LeaderboardType
        ) async -> AsyncThrowingStream<Leaderboard, any Error> {
            let (snapshots, watcher) = AsyncThrowingStream<Leaderboard, any Error>.makeStream(
                bufferingPolicy: .bufferingNewest(1))
            let board = LeaderboardWatches.Board(group: group, type: type)
            await client.perform { $0.leaderboardReader.watch(board, by: watcher) }
            return snapshots
        }
    }
}
