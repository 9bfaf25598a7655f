/// What the server has still to answer, in the order in which it was asked.
enum PendingReply {
    /// That a statement was prepared.
    case prepared
    /// The types of a statement's parameters.
    case described(Answer)
    /// That a statement was run, and its rows, which nobody may want.
    case run(PreparedStatement, Answer?)
    /// That the server has forgotten a statement.
    case forgotten(StatementName)
    /// A statement that is not there, so that the transaction fails.
    case refused
    /// The end of all that was sent before.
    case synced
}

/// The first result of a statement, when it has come.
final class Answer {
    var result: ResultHandle?
}

/// The pending replies, the next one first.
struct PendingReplies {
    private var replies: [PendingReply] = []
    private var head = 0
    /// Whether the next one has its result: then what follows is its end.
    var hasResult = false
    /// Whether nothing was sent since the last point of synchronization.
    private(set) var isSynced = true
    /// How often libpq has said that the next one's results have ended, and they had not.
    var emptyEnds = 0

    var count: Int { replies.count - head }
    var next: PendingReply? { head < replies.count ? replies[head] : nil }

    mutating func append(_ reply: PendingReply) {
        replies.append(reply)
        isSynced = false
    }

    /// The next reply has come, which ends all that was sent before it.
    mutating func removeSync() {
        removeNext()
        isSynced = count == 0
    }

    mutating func removeNext() {
        (hasResult, emptyEnds) = (false, 0)
        head += 1
        if head >= replies.count {
            removeAll()
        } else if head >= 1024, head * 2 >= replies.count {
            replies.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() {
        replies.removeAll(keepingCapacity: true)
        (head, hasResult, emptyEnds) = (0, false, 0)
    }
}
