import ParleyProtocol

extension ChallengeState {
    /// As people see it.
    public var object: Challenge {
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
            progress: [terms.challenger: progress.challenger, terms.challenged: progress.challenged],
            winner: winner, outcome: outcome.map(Named.known), createdAt: terms.createdAt,
            acceptedAt: course?.acceptedAt, endsAt: course?.endsAt)
    }
}
