import ParleyProtocol

/// What users' writes took lately of the writer's time.
///
/// A value of the writer's thread; it is told the time.
struct WriteTimes {
    private var shares = TimeShares()
    /// What a write of each user takes, as the last of them show.
    private var means: [UserID: Duration] = [:]
    private var lastBatch: ContinuousClock.Instant?

    /// What a write takes of whom nothing is known.
    static let usual = Duration.microseconds(100)
    private static let mostUsers = 4096

    /// A batch is carried out. Who has had less than half of the writer's time since is not ahead of the others.
    mutating func begin(at instant: ContinuousClock.Instant) {
        if let lastBatch { shares.advance(by: lastBatch.duration(to: instant) / 2) }
        lastBatch = instant
    }

    /// By how much a user is ahead of the others.
    func lead(of user: UserID) -> Duration { shares.lead(of: user) }

    /// What a write of a user is expected to take.
    func expected(of user: UserID) -> Duration { means[user] ?? WriteTimes.usual }

    /// A write of a user took so long.
    mutating func record(_ took: Duration, of user: UserID) {
        shares.charge(took, to: user)
        // What is known of users is soon known again.
        if means.count >= WriteTimes.mostUsers { means.removeAll(keepingCapacity: true) }
        means[user] = (expected(of: user) * 3 + max(.zero, took)) / 4
    }
}

/// The writes of a batch in two turns, each a transaction: the first has no more than a share of anybody's time, so
/// that whose writes are many or dear waits for the others, and not they for them.
///
/// What a user has had lately more than half of the writer's time counts in their share. A user's writes stay in their
/// order; in the second turn those come first who have had least. A batch of one user is one turn: a commit costs a
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
        // Nobody goes first where all would wait.
        guard !first.isEmpty else {
            first = WriteTurns.ordered(rest, times)
            rest = []
            return
        }
        rest = WriteTurns.ordered(rest, times)
    }

    /// Those of who has had least before those of the others, each user's as they came.
    private static func ordered(_ writes: [IncomingCommand], _ times: WriteTimes) -> [IncomingCommand] {
        writes.enumerated().sorted { one, other in
            let (lead, others) = (times.lead(of: one.element.sender.user), times.lead(of: other.element.sender.user))
            return (lead, one.offset) < (others, other.offset)
        }.map(\.element)
    }
}
