import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Removes challenges whose time after the end has passed.
final class ChallengeRemovalDuty: RemovalDuty {
    static let failure: Logger.Message = "challenges that are over could not be removed"
    static let sharedWork: SharedWork? = .challengeRemovals
    var schedule = DutySchedule()

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let time = batch.steady.advanced(by: .zero - ChallengeState.keeping)
        let count = try batch.writable().challenges.remove(overBy: time, limit: Self.atOnce)
        return Self.next(count: count, in: batch)
    }
}
