import ParleyProtocol

/// The boards that an app watches, with their streams. ``LeaderboardReader`` subscribes and makes the requests.
final class LeaderboardWatches {
    typealias Watcher = AsyncThrowingStream<Leaderboard, any Error>.Continuation

    struct Board: Hashable {
        let group: GroupID
        let type: LeaderboardType

        var topic: String { Topic.group(group, type.channel).name }
    }

    private struct Watch {
        var watchers: [Watcher]
        /// The last one that the streams got.
        var last: Leaderboard?
        /// Whether `last` is of this connection. A restored gateway counts versions from an older state.
        var isCurrent = false
        /// Whether events may have been missed, so that it has to be requested.
        var isStale = true
        /// Whether an answer about an earlier week led to a second request, and no later board came since.
        var wasRequestedAgain = false
        /// The number of the last request for it; 0 before the first.
        var lastRequest: UInt64 = 0
    }

    private var watches: [Board: Watch] = [:]
    private var requestCount: UInt64 = 0
    private var isClosed = false

    /// - Returns: whether the board was not watched before.
    func add(_ watcher: Watcher, of board: Board) -> Bool {
        guard !isClosed else {
            watcher.finish()
            return false
        }
        guard var watch = watches[board] else {
            watches[board] = Watch(watchers: [watcher])
            return true
        }
        if let last = watch.last { watcher.yield(last) }
        watch.watchers.append(watcher)
        watch.isStale = true
        watches[board] = watch
        return false
    }

    /// Retained boards come again on a new connection, and the others are requested.
    func markConnected() {
        for board in watches.keys {
            watches[board]?.isCurrent = false
            watches[board]?.isStale = true
        }
    }

    func markStale(_ board: Board? = nil) {
        for key in watches.keys where board == nil || board == key { watches[key]?.isStale = true }
    }

    var hasStale: Bool { watches.values.contains(where: \.isStale) }

    /// The stale board whose last request is the oldest, so that a failing one does not hold up the others. It counts
    /// as requested.
    func nextStale() -> Board? {
        let stale = watches.lazy.filter { $0.value.isStale }
        guard let board = stale.min(by: { $0.value.lastRequest < $1.value.lastRequest })?.key else { return nil }
        requestCount += 1
        watches[board]?.lastRequest = requestCount
        watches[board]?.isStale = false
        return board
    }

    /// Merges a board from an event: its streams get it, unless they had a later one.
    ///
    /// A board of an earlier week leads to a request: either it was late, or the gateway's clock was set back.
    ///
    /// - Returns: whether nobody watches it any more.
    func merge(heard leaderboard: Leaderboard, of board: Board) -> Bool {
        guard let last = watches[board]?.last, watches[board]?.isCurrent == true else { return put(leaderboard, board) }
        if leaderboard.week < last.week { watches[board]?.isStale = true }
        return leaderboard.isLater(than: last) ? put(leaderboard, board) : false
    }

    /// Merges the gateway's answer, the board of the current week: its streams get it, unless they had a later one of
    /// that week.
    ///
    /// An event that came before the answer may be of a new week: an answer about an earlier week is requested once
    /// more.
    ///
    /// - Returns: whether nobody watches it any more.
    func merge(answer leaderboard: Leaderboard, of board: Board) -> Bool {
        guard let watch = watches[board], let last = watch.last, watch.isCurrent else { return put(leaderboard, board) }
        guard leaderboard.week < last.week else {
            return leaderboard.isLater(than: last) ? put(leaderboard, board) : false
        }
        let isUnwatched = put(leaderboard, board)
        watches[board]?.isStale = watch.isStale || !watch.wasRequestedAgain
        watches[board]?.wasRequestedAgain = true
        return isUnwatched
    }

    /// Yields a board to its streams.
    ///
    /// - Returns: whether no stream is left.
    private func put(_ leaderboard: Leaderboard, _ board: Board) -> Bool {
        guard var watch = watches[board] else { return true }
        let isNew = leaderboard != watch.last
        watch.wasRequestedAgain = false
        (watch.last, watch.isCurrent) = (leaderboard, true)
        if isNew {
            watch.watchers.removeAll { watcher in
                if case .terminated = watcher.yield(leaderboard) { true } else { false }
            }
        }
        watches[board] = watch.watchers.isEmpty ? nil : watch
        return watch.watchers.isEmpty
    }

    func end(_ board: Board, _ error: ClientError) {
        for watcher in watches.removeValue(forKey: board)?.watchers ?? [] { watcher.finish(throwing: error) }
    }

    func close() {
        for watch in watches.values { for watcher in watch.watchers { watcher.finish() } }
        watches = [:]
        isClosed = true
    }
}

extension Leaderboard {
    fileprivate func isLater(than other: Leaderboard) -> Bool {
        week == other.week ? version > other.version : week > other.week
    }
}
