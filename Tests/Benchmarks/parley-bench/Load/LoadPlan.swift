/// The plan of one run of the load.
struct LoadPlan {
    enum Pace {
        /// Each sender keeps `window` messages under way: for throughput.
        case closed(window: Int)
        /// A fixed rate of messages, whatever the state of the earlier ones: for latency.
        case open(perSecond: Int)
    }

    let pace: Pace
    /// The sender's reply; a message is complete when it has come, too.
    let form: ReplyForm
    /// Seconds before the measured time.
    let warmUp: Double
    /// Seconds that are measured.
    let measured: Double
    /// Seconds after which a message under way counts as lost at the end.
    let patience = 10.0
}

/// The outcome of one run of the load.
struct LoadOutcome {
    /// Messages sent in the whole run.
    let sent: Int
    /// Messages that were complete within the measured time.
    let completed: Int
    /// The measured time, in seconds.
    let seconds: Double
    /// From when a message was due to when its last member had it, in nanoseconds, ascending; of open loops alone.
    let latencies: [Int64]
    let faults: Faults

    var messagesPerSecond: Double { Double(completed) / seconds }
}

/// Where the measured time begins and ends.
enum MeasuredEdge {
    case begin, end
}
