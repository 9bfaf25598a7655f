/// How one run of the load goes.
struct LoadPlan {
    enum Pace {
        /// Each sender keeps so many messages under way: for throughput.
        case closed(window: Int)
        /// So many messages a second altogether, whatever has become of the earlier ones: for latency.
        case open(perSecond: Int)
    }

    let pace: Pace
    /// What the sender takes as the reply; a message is complete when it has that too.
    let form: ReplyForm
    /// Seconds before the measured time.
    let warmUp: Double
    /// Seconds that are measured.
    let measured: Double
    /// Seconds that what is still under way may take at the end before it counts as lost.
    let patience = 10.0
}

/// What one run of the load showed.
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
