import ParleyProtocol
import ParleyRules

/// The changes of a transaction outside of the database: made when it is committed, dropped when it fails.
struct AfterCommit {
    enum TypingChange {
        case started(ConversationID, DeviceAddress)
        case stopped(ConversationID, DeviceAddress)
        /// A member has left with all devices.
        case left(ConversationID, UserID)
    }

    var messages = 0
    var reports = 0
    /// In the order of the requests.
    var rejections: [CommandRejection] = []
    var typing: [(itemsBefore: Int, change: TypingChange)] = []
    var endedDevices: [DeviceAddress] = []
    private(set) var wakes = Duties.Wakes()
    var hasRemovedCiphertext = false
    var push = PushGate.Changes()

    /// Makes a duty due at a steady time.
    mutating func wake<Work: Duty>(_ duty: Work.Type, at time: Timestamp) where Work.Wake == Timestamp {
        wakes.update(duty, from: time) { $0 = min($0, time) }
    }

    /// There is work on boards.
    mutating func wakeBoards(_ change: (inout BoardSchedule) -> Void) {
        wakes.update(BoardDuty.self, from: BoardSchedule(), change)
    }
}
