import ParleyProtocol

/// Hears what friends achieve. The broker lets friends hear of each other, and nobody else: whoever is none is asked
/// for again when they become one, and on the next connection.
struct ActivityWatch {
    let signals: Signals, connection: DeviceConnection

    func watch(_ users: [UserID]) {
        for user in users where signals.watchActivity(of: user) { subscribe(to: user) }
    }

    /// What the broker refused on an earlier connection it may grant on this one.
    func watchAgain() {
        for user in signals.watchedActivity { subscribe(to: user) }
    }

    /// The two are friends now.
    func befriend(_ user: UserID) {
        if signals.watchedActivity.contains(user) { subscribe(to: user) }
    }

    private func subscribe(to user: UserID) { connection.subscribe(to: Topic.user(user, .activity).name) }
}
