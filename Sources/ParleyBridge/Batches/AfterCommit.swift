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
    /// When the first ciphertext that was written disappears, by the steady time.
    private(set) var nextExpiry: Timestamp?
    /// When the first of what was added to the feeds leaves them, by the steady time.
    private(set) var nextFeedRemoval: Timestamp?
    var hasRemovedCiphertext = false
    /// Whether `keys.changed` is to be published of somebody.
    var hasKeyChange = false
    /// When a display name that has changed is to be published, by the steady time.
    var nameDueAt: Timestamp?
    /// When a challenge is to be looked at, by the steady time.
    private(set) var challengeDueAt: Timestamp?
    /// What is next to be done about boards.
    var boards = BoardSchedule()
    var push = PushNoting.Changes()

    mutating func scheduleChallenge(at due: Timestamp) { challengeDueAt = min(challengeDueAt ?? due, due) }

    mutating func scheduleExpiry(at expiry: Timestamp) { nextExpiry = min(nextExpiry ?? expiry, expiry) }

    mutating func scheduleFeedRemoval(at removal: Timestamp) {
        nextFeedRemoval = min(nextFeedRemoval ?? removal, removal)
    }
}
