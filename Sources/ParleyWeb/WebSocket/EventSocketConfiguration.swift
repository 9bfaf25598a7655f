import NIOCore

/// What one WebSocket of `/ws` may cost.
package struct EventSocketConfiguration: Sendable {
    /// Of one message from the app, in bytes: the positions of some thousand conversations.
    package var longestMessage = 262_144
    /// Fragments of one message.
    package var mostFragments = 64
    /// How much may wait for a reader who does not take it, in bytes: more than the largest event.
    package var mostWaitingBytes = 524_288
    /// How long anything may wait for a reader.
    package var patienceWithReaders: TimeAmount = .seconds(15)
    /// Between pings.
    package var tick: TimeAmount = .seconds(20)
    /// After which a WebSocket that answers no ping is closed.
    package var longestSilence: TimeAmount = .seconds(60)
    /// Messages from the app at once, and a second.
    package var burst = 60
    package var perSecond = 20

    package init() {}
}

/// How many messages an app may still send.
struct AppBudget {
    private let burst: Double
    private let perNanosecond: Double
    private var left: Double
    private var last: NIODeadline?

    init(_ configuration: EventSocketConfiguration) {
        burst = Double(configuration.burst)
        perNanosecond = Double(configuration.perSecond) / 1e9
        left = burst
    }

    mutating func take(_ now: NIODeadline) -> Bool {
        if let last { left = min(burst, left + Double((now - last).nanoseconds) * perNanosecond) }
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
