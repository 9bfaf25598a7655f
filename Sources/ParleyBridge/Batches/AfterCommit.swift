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
    /// Duties of which something is due, each with the first time, by the steady time.
    private(set) var wakes: [(duty: any Duty.Type, at: Timestamp)] = []
    var hasRemovedCiphertext = false
    /// What is next to be done about boards.
    var boards = BoardSchedule()
    var push = PushNoting.Changes()

    /// Something of this duty is due at this time.
    mutating func wake(_ duty: any Duty.Type, at time: Timestamp) {
        if let index = wakes.firstIndex(where: { $0.duty == duty }) {
            wakes[index].at = min(wakes[index].at, time)
        } else {
            wakes.append((duty, time))
        }
    }
}
