import ParleyProtocol

extension ChallengeState {
    /// Who is notified when a challenge has come to its phase, and of what: the one of the two who has not done it, and
    /// of an end both.
    package var notifications: [(recipient: UserID, notification: NewNotification)] {
        switch phase {
        case .pending: [notification(.received, to: terms.challenged)]
        case .active: [notification(.accepted, to: terms.challenger)]
        case .declined: [notification(.declined, to: terms.challenger)]
        case .cancelled: [notification(.cancelled, to: terms.challenged)]
        case .expired: [notification(.expired, to: terms.challenger)]
        case .completed:
            [notification(.completed, to: terms.challenger), notification(.completed, to: terms.challenged)]
        }
    }

    /// The notification that asks for an answer when there is nothing to answer any more; `nil` while there is.
    package var answered: (recipient: UserID, notification: NewNotification)? {
        switch phase {
        case .pending: nil
        case .active, .declined, .cancelled, .expired, .completed: notification(.received, to: terms.challenged)
        }
    }

    private func notification(
        _ step: NewNotification.ChallengeStep, to recipient: UserID
    ) -> (recipient: UserID, notification: NewNotification) {
        let other = recipient == terms.challenger ? terms.challenged : terms.challenger
        return (recipient, .challenge(step, terms.id, in: terms.conversation, by: other))
    }
}
