import ParleyProtocol

extension ChallengeState {
    /// With the progress of both.
    package var object: Challenge { object(hidingProgressOf: []) }

    /// - Parameter hidden: users whose progress it shows as 0.
    package func object(hidingProgressOf hidden: Set<UserID>) -> Challenge {
        let (outcome, winner): (ChallengeOutcome?, UserID?) =
            switch result {
            case .won(let winner): (.won, winner)
            case .tied: (.tied, nil)
            case .void: (.void, nil)
            case nil: (nil, nil)
            }
        return Challenge(
            id: terms.id, conversation: terms.conversation, challenger: terms.challenger,
            challenged: terms.challenged, type: .known(terms.type), target: terms.target,
            durationDays: terms.durationDays, status: .known(status),
            progress: [
                terms.challenger: hidden.contains(terms.challenger) ? 0 : progress.challenger,
                terms.challenged: hidden.contains(terms.challenged) ? 0 : progress.challenged,
            ],
            winner: winner, outcome: outcome.map(Named.known), createdAt: terms.createdAt,
            acceptedAt: course?.acceptedAt, endsAt: course?.endsAt)
    }
}
