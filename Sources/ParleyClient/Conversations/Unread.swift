import ParleyProtocol

/// Unread messages of others, by the gateway's rule: counted in the stored range, and before it as the gateway said.
struct Unread: Hashable, Sendable {
    /// The position up to which the user has read, on any device.
    private(set) var readSeq = 0
    /// Unread in the stored range.
    private(set) var kept = 0
    /// Unread before the stored range; `most` for that many or more.
    private(set) var before = 0
    /// The gateway's count of a log that is longer than the stored range.
    private(set) var reported: Report?

    struct Report: Hashable, Sendable {
        let count: Int
        /// The last counted position.
        let lastSeq: Int

        var isMore: Bool { count >= Unread.most }
    }

    /// The gateway counts no further: this means "or more".
    static let most = Limits.unreadCount

    /// Up to ``most``.
    var count: Int { min(Unread.most, reported?.count ?? (kept + before)) }
    /// The last position in ``count``; `nil` for the end of the stored range.
    var countedSeq: Int? { reported?.lastSeq }

    /// Merges the gateway's count, unless it lacks a read mark that is known here.
    mutating func setCount(_ count: Int, readSeq: Int, lastSeq: Int) {
        guard readSeq >= self.readSeq, lastSeq >= reported?.lastSeq ?? 0 else { return }
        self.readSeq = readSeq
        reported = Report(count: count, lastSeq: lastSeq)
    }

    /// Counts the stored range again.
    ///
    /// - Parameters:
    ///   - held: the stored range.
    ///   - keptAfter: counts the stored unread messages after a seq.
    mutating func recount(held: Range<Int>, holdsStart: Bool, keptAfter: (Int) throws -> Int) rethrows {
        kept = try keptAfter(readSeq)
        let coversAll = holdsStart || held.lowerBound <= readSeq + 1
        if let reported {
            // The reported count covers messages that have yet to come.
            guard held.upperBound > reported.lastSeq else { return }
            let keptThen = kept - (try keptAfter(max(reported.lastSeq, readSeq)))
            before = reported.isMore ? Unread.most : max(0, reported.count - keptThen)
            self.reported = nil
        }
        if coversAll { before = 0 }
    }

    /// Older messages join the stored range, `count` of them unread.
    mutating func prepend(_ count: Int) {
        // With "or more" before, some are still left.
        if before < Unread.most { before = max(0, before - count) }
    }

    /// - Parameter passed: the stored unread messages up to there.
    /// - Returns: whether the mark moved.
    mutating func markRead(upTo seq: Int, passed: Int) -> Bool {
        guard seq > readSeq else { return false }
        readSeq = seq
        if let reported, !reported.isMore {
            self.reported = Report(count: max(0, reported.count - passed), lastSeq: reported.lastSeq)
        }
        return true
    }
}
