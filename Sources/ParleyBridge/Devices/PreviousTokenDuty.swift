import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Ends the old tokens of devices that have signed in with the new ones, and the sessions of the old tokens.
///
/// In a transaction of its own: it comes before the requests of a device that has just signed in, and cannot hold them
/// up.
final class PreviousTokenDuty: ScheduledDuty {
    static let failure: Logger.Message = "the end of an old token could not be written"
    static let sharedWork: SharedWork? = nil
    var schedule = DutySchedule()
    /// New tokens that have signed in, until that is on disk.
    private var tokens: [DeviceAddress: TokenID] = [:]

    func handle(_ uses: [TokenUse]) {
        for use in uses { tokens[use.device] = use.token }
        schedule.wake(at: .earliest)
    }

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        for (device, token) in tokens where try batch.writable().tokens.endPrevious(of: device, by: token.value) {
            try batch.announceStatus(of: device)
        }
        return NextPart(dueAt: nil, pause: .zero)
    }

    func recordCommitted(_ next: NextPart, at moment: Moment) {
        tokens.removeAll()
        schedule.recordCommitted(next, at: moment.steady)
    }
}
