import ParleyProtocol

/// The users with a connected device, by the last reports of the broker's plugin; pushes go to the others.
///
/// A report may be late, and a connection may be dead before the broker finds out. So a departure is kept until the
/// messages that the user may not have received are looked for.
final class ConnectedPeople: Sendable {
    /// The end of the last connection of a user.
    struct Departure: Hashable, Sendable {
        let user: UserID
        let at: Timestamp
    }

    private struct State {
        var users: Set<UserID> = []
        /// Everybody who was connected since this process has started, and as which one they came: the broker may keep
        /// events for them.
        var seen: [UserID: Int] = [:]
        var isKnown = false
        var departures: [Departure] = []
        /// Since when there may be reports that were not read; `nil` while the reader waits for the next.
        var unreadSince: ContinuousClock.Instant?

        mutating func see(_ user: UserID) {
            if seen[user] == nil { seen[user] = seen.count + 1 }
        }

        mutating func depart(_ user: UserID, at time: Timestamp) {
            guard departures.count < ConnectedPeople.mostDepartures else { return }
            departures.append(Departure(user: user, at: time))
        }
    }

    private let state = Monitor(State())

    /// The most departures that are kept. A user who leaves beyond that is notified of later messages alone.
    static let mostDepartures = 100_000

    /// The broker notices a dead connection so late.
    static let longestUnnoticed = Duration.seconds(720)

    /// Whether the broker has reported everybody since the gateway has started.
    var isKnown: Bool { state.withLock { $0.isKnown } }

    /// How many are connected.
    var count: Int { state.withLock { $0.users.count } }

    func contains(_ user: UserID) -> Bool { state.withLock { $0.isKnown && $0.users.contains(user) } }

    /// How many are connected; `nil` while `isKnown` is false.
    var connectedCount: Int? { state.withLock { $0.isKnown ? $0.users.count : nil } }

    /// The connected ones among these; none while `isKnown` is false.
    func connected(among users: some Sequence<UserID>) -> Set<UserID> {
        state.withLock { state in
            var connected: Set<UserID> = []
            for user in users where state.isKnown && state.users.contains(user) { connected.insert(user) }
            return connected
        }
    }

    /// The number of these that are not connected; all while `isKnown` is false.
    func awayCount(among users: some Sequence<UserID>) -> Int {
        state.withLock { state in users.count { !state.isKnown || !state.users.contains($0) } }
    }

    func arrive(_ user: UserID) {
        state.withLock { state in
            state.users.insert(user)
            state.see(user)
        }
    }

    /// How many have come for the first time since this process has started; `nil` while `isKnown` is false.
    var arrivals: Int? { state.withLock { $0.isKnown ? $0.seen.count : nil } }

    /// Whether one of these is or was connected here.
    ///
    /// - Parameter arrivals: only the first so many count of those who have come.
    func mayHear(_ users: Set<UserID>, of arrivals: Int) -> Bool {
        state.withLock { state in
            users.count < state.seen.count
                ? users.contains { state.seen[$0].map { $0 <= arrivals } ?? false }
                : state.seen.contains { $0.value <= arrivals && users.contains($0.key) }
        }
    }

    /// The reader of reports begins to read, or has lost their connection: what comes from now on may stay unread while
    /// a batch is being committed.
    func recordReading(at now: ContinuousClock.Instant) {
        state.withLock { $0.unreadSince = $0.unreadSince ?? now }
    }

    /// The reader has handled everything, and waits for more.
    func recordWaiting() { state.withLock { $0.unreadSince = nil } }

    /// Until when all reports that have come are handled.
    func handledUntil(now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        state.withLock { $0.unreadSince ?? now }
    }

    func leave(_ user: UserID, at now: Timestamp) {
        state.withLock { state in
            if state.users.remove(user) != nil { state.depart(user, at: now) }
        }
    }

    /// Sets the users that were connected to an earlier process, or left it so late that it may not have looked for
    /// their messages.
    func begin(with users: Set<UserID>) { state.withLock { $0.users = users } }

    /// Sets all connected users.
    ///
    /// - Parameter time: since when there were no reports.
    func replace(with users: Set<UserID>, unknownSince time: Timestamp) {
        state.withLock { state in
            for user in state.users where !users.contains(user) { state.depart(user, at: time) }
            state.users = users
            for user in users { state.see(user) }
            state.isKnown = true
        }
    }

    /// Has it looked again for messages of users who have left at a time: other cells took them for connected since.
    func depart(_ users: some Sequence<UserID>, at time: Timestamp) {
        state.withLock { state in for user in users { state.depart(user, at: time) } }
    }

    /// Removes some departures, also of users who are back.
    ///
    /// - Parameter end: later ones stay, and those behind them.
    func drainDepartures(limit: Int, until end: Timestamp = .latest) -> [Departure] {
        state.withLock { state in
            guard end < .latest else {
                let some = Array(state.departures.suffix(limit))
                state.departures.removeLast(some.count)
                return some
            }
            let some = Array(state.departures.prefix(limit).prefix { $0.at <= end })
            state.departures.removeFirst(some.count)
            return some
        }
    }

    func hasDepartures(until end: Timestamp = .latest) -> Bool {
        state.withLock { $0.departures.first.map { $0.at <= end } ?? false }
    }
}
