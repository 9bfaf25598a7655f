import ParleyProtocol
import ParleyStore

/// What a transaction has made due about boards.
struct BoardSchedule {
    /// Groups with boards that are to be published, in order; some may be here twice.
    private(set) var changed: [GroupKey] = []
    /// When the next week of a group ends, by the time of day.
    private(set) var nextTurn: Timestamp?
    /// When the next streak is over if no workout follows, by the time of day.
    private(set) var nextLapse: Timestamp?
    /// When the next board is removed, by the steady time.
    private(set) var nextRemoval: Timestamp?

    mutating func markChanged(_ group: GroupKey) { if changed.last != group { changed.append(group) } }

    mutating func scheduleTurn(at time: Timestamp) { nextTurn = min(nextTurn ?? time, time) }

    mutating func scheduleLapse(at time: Timestamp) { nextLapse = min(nextLapse ?? time, time) }

    mutating func scheduleRemoval(at time: Timestamp) { nextRemoval = min(nextRemoval ?? time, time) }
}
