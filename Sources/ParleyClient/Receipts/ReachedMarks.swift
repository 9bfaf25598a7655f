import ParleyProtocol

/// The "delivered" and "read" marks of the other members, which give the statuses of the user's messages.
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

    /// The marks that all other members have reached, as history said.
    private(set) var all = Mark()
    private(set) var users: [UserID: Mark] = [:]

    /// A member's watermark moved.
    mutating func advance(_ watermark: Watermark) {
        switch watermark.kind {
        case .delivered: users[watermark.user, default: Mark()].advance(delivered: watermark.seq)
        case .read: users[watermark.user, default: Mark()].advance(read: watermark.seq)
        }
    }

    /// Merges the status of one of the user's messages, from history.
    mutating func merge(_ status: MessageStatus, at seq: Int) {
        switch status {
        case .sent: break
        case .delivered: all.advance(delivered: seq)
        case .read: all.advance(read: seq)
        }
    }

    /// The marks that all of these have reached.
    func least(of others: [UserID]) -> Mark {
        guard !others.isEmpty else { return all }
        var least = Mark(delivered: .max, read: .max)
        for user in others {
            least.delivered = min(least.delivered, users[user]?.delivered ?? 0)
            least.read = min(least.read, users[user]?.read ?? 0)
        }
        return Mark(delivered: max(least.delivered, all.delivered), read: max(least.read, all.read))
    }

    /// Merges a member's marks.
    mutating func merge(_ user: UserID, _ marks: Watermarks) {
        users[user, default: Mark()].advance(delivered: marks.delivered, read: marks.read)
    }

    mutating func reset() { self = ReachedMarks() }
}
