import ParleyProtocol

/// How far every other member has come, and so the user's own messages.
struct ReachedMarks: Hashable, Sendable {
    struct Mark: Hashable, Sendable {
        var delivered = 0
        var read = 0

        /// Marks only move forward. Whoever has read a message has received it.
        mutating func advance(delivered: Int = 0, read: Int = 0) {
            self.read = max(self.read, read)
            self.delivered = max(self.delivered, delivered, self.read)
        }
    }

    /// What every other member has reached at least, as history said.
    private(set) var all = Mark()
    private(set) var users: [UserID: Mark] = [:]

    /// A member's watermark moved.
    mutating func advance(_ watermark: Watermark) {
        switch watermark.kind {
        case .delivered: users[watermark.user, default: Mark()].advance(delivered: watermark.seq)
        case .read: users[watermark.user, default: Mark()].advance(read: watermark.seq)
        }
    }

    /// History says that one of the user's own messages has come so far.
    mutating func merge(_ status: MessageStatus, at seq: Int) {
        switch status {
        case .sent: break
        case .delivered: all.advance(delivered: seq)
        case .read: all.advance(read: seq)
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
        users[user, default: Mark()].advance(delivered: marks.delivered, read: marks.read)
    }

    mutating func reset() { self = ReachedMarks() }
}
