import ParleyProtocol

/// The boards that an app watches, and who watches them.
///
/// It says who is to be given what, and the ``LeaderboardReader`` does it.
final class LeaderboardWatches {
    typealias Watcher = AsyncThrowingStream<Leaderboard, any Error>.Continuation

    struct Board: Hashable {
        let group: GroupID
        let type: LeaderboardType

        var topic: String { Topic.group(group, type.channel).name }
    }

    private struct Watch {
        var watchers: [Watcher]
        /// The last that was given to them.
        var last: Leaderboard?
        /// Whether `last` is of this connection. A gateway that was put back counts versions from where it was then.
        var isCurrent = false
        /// Whether something may have been missed: it is asked for.
        var isStale = true
        /// Whether an answer of an earlier week was asked about once more, and no later board has come since.
        var isAskedAgain = false
        /// Which question was the last for it; 0 before the first.
        var lastQuestion: UInt64 = 0
    }

    private var watches: [Board: Watch] = [:]
    private var questions: UInt64 = 0
    private var isClosed = false

    /// - Returns: whether the board is watched only from now on.
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

    /// What was retained comes again with the new connection, and what was not is asked for.
    func markConnected() {
        for board in watches.keys {
            watches[board]?.isCurrent = false
            watches[board]?.isStale = true
        }
    }

    func markStale(_ board: Board? = nil) {
        for key in watches.keys where board == nil || board == key { watches[key]?.isStale = true }
    }

    /// Whether there is a board that is to be asked for.
    var hasStale: Bool { watches.values.contains(where: \.isStale) }

    /// The board that is to be asked for, and was not for the longest time: one that the gateway cannot give keeps none
    /// waiting. It counts as asked for.
    func nextStale() -> Board? {
        let stale = watches.lazy.filter { $0.value.isStale }
        guard let board = stale.min(by: { $0.value.lastQuestion < $1.value.lastQuestion })?.key else { return nil }
        questions += 1
        watches[board]?.lastQuestion = questions
        watches[board]?.isStale = false
        return board
    }

    /// A board as it was heard: whoever watches it is given it, unless a later one was.
    ///
    /// One of an earlier week is asked about: either it was late, or the gateway's clock ran ahead and was set back.
    ///
    /// - Returns: whether nobody watches it any more.
    func merge(heard leaderboard: Leaderboard, of board: Board) -> Bool {
        guard let last = watches[board]?.last, watches[board]?.isCurrent == true else { return put(leaderboard, board) }
        if leaderboard.week < last.week { watches[board]?.isStale = true }
        return leaderboard.isLater(than: last) ? put(leaderboard, board) : false
    }

    /// The board of the week that runs, as the gateway has answered: whoever watches it is given it, unless a later one
    /// of that week was.
    ///
    /// What was heard while the question was on its way may be of a week that has begun since: an answer of an earlier
    /// week is asked about once more.
    ///
    /// - Returns: whether nobody watches it any more.
    func merge(answer leaderboard: Leaderboard, of board: Board) -> Bool {
        guard let watch = watches[board], let last = watch.last, watch.isCurrent else { return put(leaderboard, board) }
        guard leaderboard.week < last.week else {
            return leaderboard.isLater(than: last) ? put(leaderboard, board) : false
        }
        let isUnwatched = put(leaderboard, board)
        watches[board]?.isStale = watch.isStale || !watch.isAskedAgain
        watches[board]?.isAskedAgain = true
        return isUnwatched
    }

    /// Gives a board to whoever watches it.
    ///
    /// - Returns: whether nobody does any more.
    private func put(_ leaderboard: Leaderboard, _ board: Board) -> Bool {
        guard var watch = watches[board] else { return true }
        let isNew = leaderboard != watch.last
        watch.isAskedAgain = false
        (watch.last, watch.isCurrent) = (leaderboard, true)
        if isNew {
            watch.watchers.removeAll { watcher in
                if case .terminated = watcher.yield(leaderboard) { true } else { false }
            }
        }
        watches[board] = watch.watchers.isEmpty ? nil : watch
        return watch.watchers.isEmpty
    }

    /// Nobody can watch the board: whoever did is told why.
    func end(_ board: Board, _ error: ClientError) {
        for watcher in watches.removeValue(forKey: board)?.watchers ?? [] { watcher.finish(throwing: error) }
    }

    /// The client ends, and with it every sequence.
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
