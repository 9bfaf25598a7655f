import NIOCore

/// The limits of one WebSocket of `/ws`.
package struct EventSocketConfiguration: Sendable {
    /// One message from the app, in bytes: the positions of some thousand conversations.
    package var longestMessage = 262_144
    /// The most fragments of one message.
    package var mostFragments = 64
    /// The most unread output, in bytes: more than the largest event.
    package var mostWaitingBytes = 524_288
    /// The longest time that output may stay unread.
    package var patienceWithReaders: TimeAmount = .seconds(15)
    /// Between pings.
    package var tick: TimeAmount = .seconds(20)
    /// Until a WebSocket that answers no ping is closed.
    package var longestSilence: TimeAmount = .seconds(60)
    /// Messages from the app at once, and per second.
    package var burst = 60
    package var perSecond = 20

    package init() {}
}

/// The number of messages that an app may still send.
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
