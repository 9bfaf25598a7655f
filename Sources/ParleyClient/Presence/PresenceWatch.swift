import ParleyProtocol

/// Subscriptions to users' presence. The broker grants them to friends only: a refused one is requested again when the
/// two become friends, and on the next connection.
struct PresenceWatch {
    let signals: Signals, connection: DeviceConnection, hub: EventHub

    func watch(_ user: UserID) {
        if signals.watch(user) { subscribe(to: user) }
    }

    /// The broker may grant now what it refused on an earlier connection.
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
