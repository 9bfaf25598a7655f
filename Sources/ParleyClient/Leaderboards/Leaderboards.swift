import ParleyProtocol

extension MessagingClient {
    /// Leaderboards of the user's training groups.
    public nonisolated var leaderboards: Leaderboards { Leaderboards(client: self) }

    /// Leaderboards of the user's training groups: ``MessagingClient/leaderboards``.
    public struct Leaderboards: Sendable {
        let client: MessagingClient

        /// A board as it is now.
        ///
        /// - Parameter week: of the group; `nil` for the current one. Weeks are kept for 90 days.
        /// - Throws: ``ClientError/refused(_:)`` with `not_found` if the user is no member or the week is gone;
        ///   ``ClientError/gatewayFault(_:)`` for the board of another group.
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

        /// The board of the current week, now and after each change, as whole snapshots; a slow reader gets the latest.
        ///
        /// It continues after a lost connection, and starts over with each week.
        ///
        /// - Returns: a stream that ends with the client, and throws ``ClientError/refused(_:)`` when the user is no
        ///   longer a member.
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
