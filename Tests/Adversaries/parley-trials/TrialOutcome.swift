/// What became of one trial.
struct TrialOutcome {
    let cut: Cut
    /// Events that reached the one concerned and were published after they were cut off: there must be none.
    var breaches: [String] = []
    /// From the sending of the cut to the last event of the conversation that reached the live device, or to the end of
    /// its connection where the cut ends it; in nanoseconds.
    var effect: Int64?
    /// The same from the coming of the reply on; 0 where all was over before.
    var effectAfterReply: Int64?
    /// Messages that were committed.
    var messages = 0
    var heardLive = 0
    var heardQueued = 0
    /// Later events that the others heard: that there was something not to hear.
    var laterHeardByOthers = EventCounts()

    init(cut: Cut) { self.cut = cut }
}

/// How many events of each kind.
struct EventCounts: Equatable {
    var records = 0
    var receipts = 0
    var typing = 0
    var others = 0

    var sum: Int { records + receipts + typing + others }

    mutating func count(_ content: HeardEvent.Content) {
        switch content {
        case .record: records += 1
        case .receipt: receipts += 1
        case .typing: typing += 1
        case .info, .presence, .deviceRevoked, .other: others += 1
        }
    }

    static func += (left: inout EventCounts, right: EventCounts) {
        left.records += right.records
        left.receipts += right.receipts
        left.typing += right.typing
        left.others += right.others
    }
}
