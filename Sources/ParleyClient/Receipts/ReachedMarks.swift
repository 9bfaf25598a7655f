import ParleyProtocol

/// How far every other member has come, and so the user's own messages.
struct ReachedMarks: Hashable, Sendable {
    struct Mark: Hashable, Sendable {
        var delivered = 0
        var read = 0
    }

    /// What every other member has reached at least, as history said.
    private(set) var all = Mark()
    private(set) var users: [UserID: Mark] = [:]

    /// A member's watermark moved.
    mutating func advance(_ watermark: Watermark) {
        var mark = users[watermark.user, default: Mark()]
        switch watermark.kind {
        case .delivered: mark.delivered = max(mark.delivered, watermark.seq)
        case .read:
            mark.read = max(mark.read, watermark.seq)
            mark.delivered = max(mark.delivered, watermark.seq)
        }
        users[watermark.user] = mark
    }

    /// History says that one of the user's own messages has come so far.
    mutating func merge(_ status: MessageStatus, at seq: Int) {
        switch status {
        case .sent: break
        case .delivered: all.delivered = max(all.delivered, seq)
        case .read:
            all.read = max(all.read, seq)
            all.delivered = max(all.delivered, seq)
        }
    }

    /// How far all of these have come.
    func least(of others: [UserID]) -> Mark {
        guard !others.isEmpty else { return all }
        var least = Mark(delivered: .max, read: .max)
        for user in others {
            least.delivered = min(least.delivered, users[user]?.delivered ?? 0)
            least.read = min(least.read, users[user]?.read ?? 0)
        }
        return Mark(delivered: max(least.delivered, all.delivered), read: max(least.read, all.read))
    }

    /// The gateway says how far a member has come.
    mutating func merge(_ user: UserID, _ marks: Watermarks) {
        var mark = users[user, default: Mark()]
        mark.read = max(mark.read, marks.read)
        mark.delivered = max(mark.delivered, marks.delivered, mark.read)
        users[user] = mark
    }

    mutating func reset() { self = ReachedMarks() }
}
