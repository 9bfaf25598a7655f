import ParleyProtocol

/// Users whose devices may display notifications. For them the writer adds an event when a message is read or removed;
/// the thread of pushes adds and removes users.
///
/// No event is missed: each transaction that a snapshot lacks has seen the users that were added before the snapshot.
final class DisplayingUsers: Sendable {
    private struct State {
        var users: Set<UserID> = []
        /// How many transactions of the writer have begun, and whether the last is open.
        var begun = 0
        var isOpen = false
    }

    private let state = Monitor(State())

    // MARK: The writer

    func contains(_ user: UserID) -> Bool { state.withLock { $0.users.contains(user) } }

    var isEmpty: Bool { state.withLock { $0.users.isEmpty } }

    /// A transaction of the writer's.
    func during<Result, Failure: Error>(_ transaction: () throws(Failure) -> Result) throws(Failure) -> Result {
        state.withLock { state in
            state.begun += 1
            state.isOpen = true
        }
        defer { state.withLock { $0.isOpen = false } }
        return try transaction()
    }

    // MARK: The thread of pushes

    /// Adds users. Returns when each transaction that may have missed one of them has ended.
    func add(_ users: Set<UserID>) {
        let open = state.withLock { state -> Int? in
            let isNew = !state.users.isSuperset(of: users)
            state.users.formUnion(users)
            return isNew && state.isOpen ? state.begun : nil
        }
        guard let open else { return }
        state.wait { !$0.isOpen || $0.begun > open ? () : nil }
    }

    /// Adds users, where the database itself knows whose devices display something.
    func insert(_ users: Set<UserID>) { state.withLock { $0.users.formUnion(users) } }

    func remove(_ users: Set<UserID>) { state.withLock { $0.users.subtract(users) } }
}
