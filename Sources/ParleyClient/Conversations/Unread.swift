import ParleyDeviceStore
import ParleyProtocol

/// Messages of others that the user has not seen, by the gateway's rule: computed from what is kept, as far as that
/// reaches, and for the rest from what the gateway said; never counted up.
struct Unread: Hashable, Sendable {
    /// Up to where the user has read, on any device.
    private(set) var readSeq = 0
    /// How many are kept.
    private(set) var kept = 0
    /// How many lie before what is kept; `most` for that many or more.
    private(set) var before = 0
    /// What the gateway counted of a log that goes further than what is kept.
    private(set) var reported: Report?

    struct Report: Hashable, Sendable {
        let count: Int
        /// Up to where it counted.
        let lastSeq: Int

        /// Whether there may be more than it counted.
        var isMore: Bool { count >= Unread.most }
    }

    /// The gateway counts no further: so many are so many or more.
    static let most = Limits.unreadCount

    /// Up to ``most``.
    var count: Int { min(Unread.most, reported?.count ?? (kept + before)) }
    /// Up to where ``count`` counts; `nil` for all that is kept.
    var countedSeq: Int? { reported?.lastSeq }

    /// The gateway counted. What it did not know yet of the user's reading makes it worth nothing.
    mutating func setCount(_ count: Int, readSeq: Int, lastSeq: Int) {
        guard readSeq >= self.readSeq, lastSeq >= reported?.lastSeq ?? 0 else { return }
        self.readSeq = readSeq
        reported = Report(count: count, lastSeq: lastSeq)
    }

    /// Counts anew what is kept.
    ///
    /// - Parameters:
    ///   - held: what is kept without a hole.
    ///   - keptAfter: how many that count as unread are kept after a seq.
    mutating func recount(held: Range<Int>, holdsStart: Bool, keptAfter: (Int) throws -> Int) rethrows {
        kept = try keptAfter(readSeq)
        let coversAll = holdsStart || held.lowerBound <= readSeq + 1
        if let reported {
            // What was counted and has yet to come is in what was reported.
            guard held.upperBound > reported.lastSeq else { return }
            let keptThen = kept - (try keptAfter(max(reported.lastSeq, readSeq)))
            before = reported.isMore ? Unread.most : max(0, reported.count - keptThen)
            self.reported = nil
        }
        if coversAll { before = 0 }
    }

    /// Older messages join what is kept: so many of them count.
    mutating func prepend(_ count: Int) {
        // Of those that nobody has counted, some are still left.
        if before < Unread.most { before = max(0, before - count) }
    }

    /// The user has read up to `seq`.
    ///
    /// - Parameter passed: how many that are kept they have read by that.
    /// - Returns: whether that is further than before.
    mutating func markRead(upTo seq: Int, passed: Int) -> Bool {
        guard seq > readSeq else { return false }
        readSeq = seq
        if let reported, !reported.isMore {
            self.reported = Report(count: max(0, reported.count - passed), lastSeq: reported.lastSeq)
        }
        return true
    }
}
