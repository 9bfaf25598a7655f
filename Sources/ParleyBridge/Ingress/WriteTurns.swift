import ParleyProtocol

/// The time that users' writes took lately.
struct WriteTimes {
    private var shares = TimeShares()
    /// The mean of the last writes of each user.
    private var means: [UserID: Duration] = [:]
    private var lastBatch: ContinuousClock.Instant?

    /// The expected time of a write by an unknown user.
    static let usual = Duration.microseconds(100)
    private static let mostUsers = 4096

    /// A batch begins. A user who has had less than half of the writer's time since the last is not ahead of the
    /// others.
    mutating func begin(at instant: ContinuousClock.Instant) {
        if let lastBatch { shares.advance(by: lastBatch.duration(to: instant) / 2) }
        lastBatch = instant
    }

    /// How far a user is ahead of the others.
    func lead(of user: UserID) -> Duration { shares.lead(of: user) }

    /// The expected time of a write.
    func expected(of user: UserID) -> Duration { means[user] ?? WriteTimes.usual }

    mutating func record(_ took: Duration, of user: UserID) {
        shares.charge(took, to: user)
        // The means are soon measured again.
        if means.count >= WriteTimes.mostUsers { means.removeAll(keepingCapacity: true) }
        means[user] = (expected(of: user) * 3 + max(.zero, took)) / 4
    }
}

/// The writes of a batch in two turns, each a transaction: the first has no more than a share of each user's time, so
/// that a user with many or expensive writes waits for the others, and not they for them.
///
/// Time beyond half of the writer's that a user had lately counts in their share. A user's writes stay in their order;
/// the second turn begins with those of the users who have had least. A batch of one user is one turn: a commit costs a
/// sync.
struct WriteTurns {
    private(set) var first: [IncomingCommand] = []
    private(set) var rest: [IncomingCommand] = []

    /// The most of one user's time in the first turn.
    static let share = Duration.microseconds(3200)

    init(_ writes: [IncomingCommand], _ times: WriteTimes, share: Duration = WriteTurns.share) {
        guard let one = writes.first, writes.contains(where: { $0.sender.user != one.sender.user }) else {
            first = writes
            return
        }
        var spent: [UserID: Duration] = [:]
        // Once one of a user's writes waits, all that follow wait behind it.
        var waiting: Set<UserID> = []
        for write in writes {
            let user = write.sender.user
            let total = spent[user, default: times.lead(of: user)] + times.expected(of: user)
            spent[user] = total
            if total <= share, !waiting.contains(user) {
                first.append(write)
            } else {
                waiting.insert(user)
                rest.append(write)
            }
        }
        // Without a first turn the second is the only one.
        guard !first.isEmpty else {
            first = WriteTurns.ordered(rest, times)
            rest = []
            return
        }
        rest = WriteTurns.ordered(rest, times)
    }

    /// By the time that the users had, each user's writes in their order.
    private static func ordered(_ writes: [IncomingCommand], _ times: WriteTimes) -> [IncomingCommand] {
        writes.enumerated().sorted { one, other in
            let (lead, others) = (times.lead(of: one.element.sender.user), times.lead(of: other.element.sender.user))
            return (lead, one.offset) < (others, other.offset)
        }.map(\.element)
    }
}
