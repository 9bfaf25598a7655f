import ParleyProtocol

/// Decides what enters a user's feed of notifications.
package enum NotificationFeed {
    package static let lifetime = Duration.days(7)
    /// The most of a feed that ask their recipient for an act, and that do not: a further one displaces the oldest read
    /// one of its kind, or the oldest, so that none that asks is displaced by one that does not.
    package static let mostAsking = 100
    package static let mostTelling = 400
    package static let most = mostAsking + mostTelling

    package enum Decision: Hashable, Sendable {
        case dropped
        case added
        /// Added, and the existing one with the same key loses its key.
        case addedAgain
        /// Replaces the unread one with the same key, without another push.
        case refreshed
    }

    /// - Parameters:
    ///   - earlier: when the existing one with the same key was added, by the steady time.
    ///   - isSilenced: whether the recipient blocks its actor, or has muted `mutedWith`.
    package static func decide(
        _ notification: NewNotification, for recipient: UserID, earlier: Timestamp?, isSilenced: Bool, steady: Timestamp
    ) -> Decision {
        guard notification.actor != recipient, !isSilenced else { return .dropped }
        guard let earlier else { return .added }
        if notification.refreshesUnread { return .refreshed }
        guard let pause = notification.pause, steady >= earlier.advanced(by: pause) else { return .dropped }
        return .addedAgain
    }
}
