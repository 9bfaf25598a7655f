import ParleyProtocol
import ParleyRules
import ParleyStore

extension Removal {
    /// Removes challenges that have been over for their time, if it is time to look for them.
    func ofChallenges(now: Timestamp) {
        let time = writer.steady(now).advanced(by: .zero - ChallengeState.keeping)
        removeOldPart(of: "challenges that are over", \.challengeRemoval, now: now) { transaction throws(StoreError) in
            try transaction.challenges.remove(overBy: time, limit: Removal.atOnce)
        }
    }
}
