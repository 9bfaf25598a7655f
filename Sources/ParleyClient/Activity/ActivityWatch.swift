import ParleyProtocol

/// Subscriptions to friends' achievements. The broker grants them to friends only: a refused one is requested again
/// when the user becomes a friend, and on the next connection.
struct ActivityWatch {
    let signals: Signals, connection: DeviceConnection

    func watch(_ users: [UserID]) {
        for user in users where signals.watchActivity(of: user) { subscribe(to: user) }
    }

    /// The broker may grant now what it refused on an earlier connection.
    func watchAgain() {
        for user in signals.watchedActivity { subscribe(to: user) }
    }

    func befriend(_ user: UserID) {
        if signals.watchedActivity.contains(user) { subscribe(to: user) }
    }

    private func subscribe(to user: UserID) { connection.subscribe(to: Topic.user(user, .activity).name) }
}
