import ParleyProtocol
import ParleyRules

/// What a transaction changes that is not in the database: done when it is committed, and not at all when it fails.
struct AfterCommit {
    /// Somebody has begun to type, or ended it.
    enum TypingChange {
        case started(ConversationID, DeviceAddress)
        case stopped(ConversationID, DeviceAddress)
        /// A member has left with all devices.
        case left(ConversationID, UserID)
    }

    var messages = 0
    var reports = 0
    var rejected = 0
    /// Each with how many events and replies go before it.
    var typing: [(place: Int, change: TypingChange)] = []
    var endedDevices: [DeviceAddress] = []
    var uses = UserLimits.Uses()
    private(set) var wakes = Duties.Wakes()
    var hasRemovedCiphertext = false
    var push = PushGate.Changes()

    /// Something of this duty is due at this time, by the steady time.
    mutating func wake<Work: Duty>(_ duty: Work.Type, at time: Timestamp) where Work.Wake == Timestamp {
        wakes.update(duty, from: time) { $0 = min($0, time) }
    }

    /// There is work on boards.
    mutating func wakeBoards(_ change: (inout BoardSchedule) -> Void) {
        wakes.update(BoardDuty.self, from: BoardSchedule(), change)
    }
}
