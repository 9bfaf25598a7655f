import ParleyProtocol

/// Hears who is there. The broker lets friends hear of each other, and nobody else: whoever is none is asked for again
/// when they become one, and on the next connection.
struct PresenceWatch {
    let signals: Signals, connection: DeviceConnection, hub: EventHub

    /// Hears of a user's presence, as far as they let the user.
    func watch(_ user: UserID) {
        if signals.watch(user) { subscribe(to: user) }
    }

    /// What the broker refused on an earlier connection it may grant on this one.
    func watchAgain() {
        for user in signals.watched { subscribe(to: user) }
    }

    private func subscribe(to user: UserID) { connection.subscribe(to: Topic.user(user, .presence).name) }

    func handle(_ update: PresenceUpdate) {
        if signals.update(update) { hub.emit(.presence(update)) }
    }

    func befriend(_ user: UserID) {
        signals.befriend(user)
        subscribe(to: user)
    }

    func unfriend(_ user: UserID) { signals.unfriend(user) }
}
