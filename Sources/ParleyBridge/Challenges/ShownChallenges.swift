import ParleyProtocol
import ParleyRules
import ParleyStore

/// Challenges as one user is shown them, by one snapshot.
///
/// Progress is written when a challenge is published, which is once a second at most; whoever asks in between is told
/// what was committed. That is counted only where something has changed since, so a page costs little more than its
/// rows.
struct ShownChallenges {
    private let snapshot: Snapshot
    private let viewer: UserID
    private let settings: Settings
    private let now: Timestamp
    /// Who shares what they do, as far as it was asked for.
    private var sharing: [UserID: Bool] = [:]

    init(_ snapshot: Snapshot, to viewer: UserID, _ settings: Settings, now: Timestamp) {
        self.snapshot = snapshot
        self.viewer = viewer
        self.settings = settings
        self.now = now
    }

    /// A challenge as it is now. Of the progress of whoever shares nothing, they themselves are shown what was counted,
    /// and all others nothing, also of what is over.
    mutating func object(of stored: StoredChallenge) throws(StoreError) -> Challenge {
        var challenge = stored.state
        if stored.mayBeBehind(now: now, pause: ChallengeDuty.pause) {
            let conversation = try snapshot.conversations.withContact(challenge.terms.conversation)
            challenge.updateProgress(
                try snapshot.standing(of: challenge, in: conversation, settings, now: now))
        }
        var hidden: Set<UserID> = []
        for (user, value) in [
            (challenge.terms.challenger, challenge.progress.challenger),
            (challenge.terms.challenged, challenge.progress.challenged),
        ] where value > 0 && user != viewer {
            if try !shares(user) { hidden.insert(user) }
        }
        return challenge.object(hidingProgressOf: hidden)
    }

    private mutating func shares(_ user: UserID) throws(StoreError) -> Bool {
        if let known = sharing[user] { return known }
        let shares = try snapshot.users.profile(user)?.sharesWorkoutData ?? false
        sharing[user] = shares
        return shares
    }
}
