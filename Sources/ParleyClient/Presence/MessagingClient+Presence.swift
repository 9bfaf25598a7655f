import ParleyProtocol

// Who is there. The broker lets friends hear of each other, and nobody else: whoever is none is asked for again when he
// becomes one, and on the next connection.

extension MessagingClient {
    /// Whether a user is there, as far as he lets the user know; `nil` while nothing was heard of it, as without a
    /// connection. From then on the events tell of it.
    public func presence(of user: UserID) -> PresenceUpdate? {
        watch(user)
        return presences[user]
    }

    func take(_ update: PresenceUpdate) {
        guard presences.updateValue(update, forKey: update.user) != update else { return }
        hub.emit(.presence(update))
    }

    /// Hears of a user's presence, as far as he lets the user.
    func watch(_ user: UserID) {
        guard watched.insert(user).inserted else { return }
        connection.subscribe(to: Topic.user(user, .presence).name)
    }

    func becameFriend(_ user: UserID) {
        watched.remove(user)
        watch(user)
        hub.emit(.friendAdded(user))
    }

    func isNoFriend(_ user: UserID) {
        presences[user] = nil
        hub.emit(.friendRemoved(user))
    }

    /// What the broker refused on an earlier connection it may grant on this one.
    func watchAgain() {
        for user in watched { connection.subscribe(to: Topic.user(user, .presence).name) }
    }
}
