import ParleyProtocol
import ParleyStore

/// The times at which boards are due by themselves; `nil` for each that is not to come.
struct BoardTimes {
    /// When the first week of a group ends, by the time of day.
    var weekEnd: Timestamp?
    /// When the first streak ends if no workout follows, by the time of day.
    var streakEnd: Timestamp?
    /// When the first board is removed, by the steady time.
    var removal: Timestamp?

    mutating func merge(_ other: BoardTimes) {
        for time in [\.weekEnd, \.streakEnd, \.removal] as [WritableKeyPath<BoardTimes, Timestamp?>] {
            self[keyPath: time] = [self[keyPath: time], other[keyPath: time]].compactMap { $0 }.min()
        }
    }
}

/// The work on boards that follows from a transaction.
struct BoardSchedule {
    /// Groups with boards to publish, in order; some may be here twice.
    private(set) var changed: [GroupKey] = []
    private(set) var next = BoardTimes()

    mutating func markChanged(_ group: GroupKey) { if changed.last != group { changed.append(group) } }

    mutating func schedule(_ times: BoardTimes) { next.merge(times) }
}
