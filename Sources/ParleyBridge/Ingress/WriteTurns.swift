import ParleyProtocol

/// The writes of a batch in two turns, each a transaction: the first has no more than a share of anybody's, so that who
/// sends hundreds at once waits for the others, and not they for them.
///
/// A user's writes stay in their order. A batch of one user, or of users with few each, is one turn: a commit costs a sync.
struct WriteTurns {
    private(set) var first: [IncomingCommand] = []
    private(set) var rest: [IncomingCommand] = []

    /// The most of one user's writes in the first turn.
    static let share = 32

    init(_ writes: [IncomingCommand], share: Int = WriteTurns.share) {
        guard writes.count > share, let one = writes.first,
            writes.contains(where: { $0.sender.user != one.sender.user })
        else {
            first = writes
            return
        }
        var counts: [UserID: Int] = [:]
        for write in writes {
            let count = counts[write.sender.user, default: 0]
            counts[write.sender.user] = count + 1
            if count < share { first.append(write) } else { rest.append(write) }
        }
    }
}
