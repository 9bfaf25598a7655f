import ParleyProtocol

extension ChallengeState {
    /// The notifications of its phase: to the user who did not cause it, and of the completion to both.
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

    /// The notification that asked for an answer, once it is answered or void.
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
