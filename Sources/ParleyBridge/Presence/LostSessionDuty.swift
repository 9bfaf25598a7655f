import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Shows users as offline whose cell is gone and who have come to no other.
final class LostSessionDuty: Duty {
    typealias Done = Bool
    typealias Wake = Never
    static let failure: Logger.Message = "the users of a lost cell could not be shown as offline"
    static let sharedWork: SharedWork? = .lostSessions
    static let publishes = true
    static let pauseAfterFailure = pause
    private let cells: any Cells
    private var pace = Pace()

    /// The most users in one transaction.
    private static let atOnce = 256
    private static let pause = Duration.seconds(2)

    init(_ cells: any Cells) { self.cells = cells }

    func wait(at moment: Moment) -> Duration? { pace.wait(until: moment.steady, now: moment.steady) }

    /// - Returns: whether there may be more.
    func run(in batch: Batch) throws(StoreError) -> Bool {
        let transaction = try batch.writable()
        let users = try cells.removeLostSessions(limit: Self.atOnce, in: transaction)
        let connected = try cells.connected(among: users, elsewhere: false, in: transaction.facts)
        let gone = Set(users).subtracting(connected).map { user in
            PresenceTracker.Announcement(user: user, presence: .offline(lastSeen: batch.now))
        }
        try batch.effects.announce(gone, transaction)
        return users.count == Self.atOnce
    }

    func recordCommitted(_ hasMore: Bool, at moment: Moment) {
        pace.rest(for: hasMore ? .milliseconds(100) : Self.pause, from: moment.steady)
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pause, from: moment.steady) }
}
