import ParleyProtocol

/// When others are next to be told that somebody's keys have changed: at once, and never more than so many in a second.
///
/// A value; the writer asks it and tells it what came of it. All times are steady ones.
struct KeyChangeClock {
    /// No later than the first telling that is to come; `nil` if none is. At first, whatever an earlier process left.
    private var next: Timestamp? = Timestamp(milliseconds: 0)
    private var pauseStart = Timestamp(milliseconds: 0)
    /// In milliseconds.
    private var pause: Int64 = 0

    /// What came of telling some of those who are to be told.
    struct Telling {
        /// How many were told or looked at.
        let count: Int
        /// When the first of what is left is due.
        let next: Timestamp?
    }

    /// After a telling that could not be committed, in milliseconds.
    private static let pauseAfterFailure: Int64 = 1000

    /// How long nobody is told after so many were, in milliseconds: a thousand in a second are enough.
    static func pause(_ count: Int) -> Int64 { Int64(count) }

    /// Somebody's keys have changed.
    mutating func note(at now: Timestamp) { next = min(next ?? now, now) }

    /// How long until somebody is to be told, in milliseconds; `nil` while nobody is.
    func wait(now: Timestamp) -> Int64? {
        guard let next else { return nil }
        let untilDue = next.milliseconds - now.milliseconds
        guard now >= pauseStart else { return max(0, untilDue) }
        return max(0, untilDue, pause - (now.milliseconds - pauseStart.milliseconds))
    }

    func isDue(now: Timestamp) -> Bool { wait(now: now) == 0 }

    /// So many were told or looked at.
    ///
    /// - Parameter next: when the first of what is left is due.
    mutating func told(_ count: Int, next: Timestamp?, now: Timestamp) {
        self.next = next
        (pauseStart, pause) = (now, KeyChangeClock.pause(count))
    }

    /// The transaction has failed, with whatever it was to tell.
    mutating func failed(now: Timestamp) {
        next = Timestamp(milliseconds: 0)
        (pauseStart, pause) = (now, KeyChangeClock.pauseAfterFailure)
    }
}
