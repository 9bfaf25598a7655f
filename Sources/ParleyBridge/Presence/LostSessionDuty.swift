import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Shows users as offline whose cell is gone and who have come to no other, and has looked for what they have missed.
final class LostSessionDuty: Duty {
    typealias Done = LostUsers
    typealias Wake = Never
    static let failure: Logger.Message = "the users of a lost cell could not be shown as offline"
    static let sharedWork: SharedWork? = .lostSessions
    static let publishes = true
    static let pauseAfterFailure = pause
    private let cells: any Cells
    private let people: ConnectedPeople
    private var pace = Pace()

    /// The most users in one transaction.
    private static let atOnce = 256
    private static let pause = Duration.seconds(2)

    /// A cell that is gone was last heard so long ago, or a little less.
    private static let silence = Duration.seconds(15)

    /// What a transaction has removed.
    struct LostUsers {
        let users: [UserID]
        let hasMore: Bool
    }

    init(_ cells: any Cells, _ people: ConnectedPeople) { (self.cells, self.people) = (cells, people) }

    func wait(at moment: Moment) -> Duration? { pace.wait(until: moment.steady, now: moment.steady) }

    func run(in batch: Batch) throws(StoreError) -> LostUsers {
        let transaction = try batch.writable()
        let users = try cells.removeLostSessions(limit: Self.atOnce, in: transaction)
        let connected = try cells.connected(among: users, elsewhere: false, in: transaction.facts)
        let lost = users.filter { !connected.contains($0) }
        let gone = Set(lost).map { user in
            PresenceTracker.Announcement(user: user, presence: .offline(lastSeen: batch.now))
        }
        try batch.effects.announce(gone, transaction)
        return LostUsers(users: lost, hasMore: users.count == Self.atOnce)
    }

    func recordCommitted(_ lost: LostUsers, at moment: Moment) {
        people.depart(lost.users, at: moment.now.advanced(by: .zero - Self.silence))
        pace.rest(for: lost.hasMore ? .milliseconds(100) : Self.pause, from: moment.steady)
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pause, from: moment.steady) }
}
