import ParleyProtocol

/// Who has a device connected, as the broker's plugin has last reported: for those who decide whom to notify.
///
/// A report may come a moment after what it tells of, and a connection may be dead before the broker finds out. So
/// whoever has left is remembered until it was looked whether something was sent to them that they have not received.
final class ConnectedPeople: Sendable {
    /// Somebody whose last connection has ended.
    struct Departure: Hashable, Sendable {
        let user: UserID
        let at: Timestamp
    }

    private struct State {
        var users: Set<UserID> = []
        var isKnown = false
        var departures: [Departure] = []

        mutating func depart(_ user: UserID, at time: Timestamp) {
            guard departures.count < ConnectedPeople.mostDepartures else { return }
            departures.append(Departure(user: user, at: time))
        }
    }

    private let state = Monitor(State())

    /// The most departures that are remembered. Who leaves beyond that is notified of what comes later alone.
    static let mostDepartures = 100_000

    /// Whether the broker has reported everybody since the gateway has started.
    var isKnown: Bool { state.withLock { $0.isKnown } }

    func contains(_ user: UserID) -> Bool { state.withLock { $0.isKnown && $0.users.contains(user) } }

    /// Those of these who are connected; nobody while it is not known who is.
    func connected(among users: some Sequence<UserID>) -> Set<UserID> {
        state.withLock { state in
            var connected: Set<UserID> = []
            for user in users where state.isKnown && state.users.contains(user) { connected.insert(user) }
            return connected
        }
    }

    /// How many of these are not connected; all of them while it is not known who is.
    func awayCount(among users: some Sequence<UserID>) -> Int {
        state.withLock { state in users.count { !state.isKnown || !state.users.contains($0) } }
    }

    func arrive(_ user: UserID) { state.withLock { _ = $0.users.insert(user) } }

    func leave(_ user: UserID, at now: Timestamp) {
        state.withLock { state in
            if state.users.remove(user) != nil { state.depart(user, at: now) }
        }
    }

    /// Everybody, as far as an earlier process knew.
    func begin(with users: Set<UserID>) { state.withLock { $0.users = users } }

    /// Everybody who is connected.
    ///
    /// - Parameter time: since when it was not known who is.
    func replace(with users: Set<UserID>, unknownSince time: Timestamp) {
        state.withLock { state in
            for user in state.users where !users.contains(user) { state.depart(user, at: time) }
            state.users = users
            state.isKnown = true
        }
    }

    /// Removes some of those who have left. Who is back is among them.
    func drainDepartures(limit: Int) -> [Departure] {
        state.withLock { state in
            let some = Array(state.departures.suffix(limit))
            state.departures.removeLast(some.count)
            return some
        }
    }

    var hasDepartures: Bool { state.withLock { !$0.departures.isEmpty } }
}
