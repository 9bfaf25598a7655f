import ParleyProtocol
import ParleyRules
import ParleyStore

/// Challenges as one user sees them in one snapshot.
///
/// The stored progress is up to a second old: it is written with each publication. It is counted anew only if something
/// has changed since, so a page costs little more than its rows.
struct ChallengeViews {
    private let snapshot: Snapshot
    private let viewer: UserID
    private let settings: Settings
    private let now: Timestamp
    /// Whether users share their workout data, as far as that was read.
    private var sharing: [UserID: Bool] = [:]

    init(_ snapshot: Snapshot, to viewer: UserID, _ settings: Settings, now: Timestamp) {
        self.snapshot = snapshot
        self.viewer = viewer
        self.settings = settings
        self.now = now
    }

    /// A challenge as it is now. The progress of a user who does not share their workout data is hidden from all
    /// others, also after the end.
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
