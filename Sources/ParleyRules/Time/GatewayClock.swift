import ParleyProtocol

/// What two clocks say at one moment: the machine's time of day, which anybody may set, and how long the machine has
/// run, which nobody sets and which does not step.
package struct ClockReading: Hashable, Sendable {
    /// The time of day.
    package let wall: Timestamp
    /// Milliseconds since the machine's start, its sleep counted.
    package let sinceBoot: Int64

    package init(wall: Timestamp, sinceBoot: Int64) { (self.wall, self.sinceBoot) = (wall, sinceBoot) }
}

/// The gateway's time: that of the machine's running, which follows the time of day but for its false steps.
///
/// A value: it is read with what two clocks say, and says what time it is. What the time of day differs by is
///
/// - followed at once, as long as it is ahead by a second or less;
/// - approached at half speed, as long as it is behind by five minutes or less: the gateway's time never runs back for
///   it;
/// - held back otherwise, until it has lasted for five minutes. Only then the gateway's time steps, forward or back.
///
/// Beside it there is the steady time, which knows no steps at all: what is to happen after an hour happens by that.
package struct GatewayClock: Sendable {
    /// What time it is.
    package struct Moment: Hashable, Sendable {
        /// The time that is published.
        package let now: Timestamp
        /// How far `now` is ahead of the steady time, in milliseconds: all that it has followed.
        package let clockOffset: Int64

        package init(now: Timestamp, clockOffset: Int64) { (self.now, self.clockOffset) = (now, clockOffset) }

        /// The time that runs as the machine does: durations are measured by it.
        package var steady: Timestamp { now.advanced(byMilliseconds: -clockOffset) }
    }

    /// What has become of a step of the time of day. In milliseconds; positive is forward.
    package enum Event: Hashable, Sendable {
        /// It is held back.
        case held(by: Int64)
        /// It has lasted, and the gateway's time has followed.
        case followed(by: Int64)
        /// It was taken back before that.
        case over
    }

    /// A difference that is held back.
    private struct Held {
        var difference: Int64
        /// Since when it has lasted, in milliseconds since the machine's start.
        let since: Int64
    }

    /// From the machine's running to the gateway's time, and to the steady one.
    private var offset: Int64
    private let steadyOffset: Int64
    /// When it was last read, in milliseconds since the machine's start.
    private var readAt: Int64
    private var held: Held?

    /// Ahead by so much it is followed at once, in milliseconds.
    package static let unnoticed: Int64 = 1000
    /// Behind by so much it is approached; and so long a larger step must last.
    package static let patience: Int64 = 300_000

    /// At its start the time of day is taken as it is.
    ///
    /// - Parameter steady: the steady time then.
    package init(_ reading: ClockReading, steady: Timestamp) {
        let wall = reading.wall.bounded
        offset = wall.milliseconds - reading.sinceBoot
        steadyOffset = steady.bounded.milliseconds - reading.sinceBoot
        readAt = reading.sinceBoot
    }

    /// What time it is, and what has become of a step since the last reading.
    package mutating func read(_ reading: ClockReading) -> (moment: Moment, event: Event?) {
        let elapsed = max(0, reading.sinceBoot - readAt)
        readAt += elapsed
        let difference = reading.wall.bounded.milliseconds - (readAt + offset)
        let event: Event?
        switch difference {
        case -GatewayClock.patience..<0:
            event = settle()
            offset -= min(-difference, elapsed / 2)
        case 0...GatewayClock.unnoticed:
            event = settle()
            offset += difference
        default: event = hold(difference, elapsed: elapsed)
        }
        let now = Timestamp(milliseconds: readAt + offset)
        return (Moment(now: now, clockOffset: offset - steadyOffset), event)
    }

    /// What is to be kept of it, as it was last read.
    ///
    /// - Parameter boot: the run of the machine; see `StoredClock`.
    package func stored(boot: String?) -> StoredClock {
        StoredClock(
            boot: boot, bootOffset: boot == nil ? nil : offset, clockOffset: offset - steadyOffset,
            lastTime: Timestamp(milliseconds: readAt + offset))
    }

    /// The time of day is where it ought to be.
    private mutating func settle() -> Event? {
        defer { held = nil }
        return held == nil ? nil : .over
    }

    private mutating func hold(_ difference: Int64, elapsed: Int64) -> Event? {
        // Another step begins anew. One that is only being corrected meanwhile goes on.
        guard var step = held, abs(difference - step.difference) <= GatewayClock.unnoticed + elapsed / 10 else {
            held = Held(difference: difference, since: readAt)
            return .held(by: difference)
        }
        step.difference = difference
        guard readAt - step.since >= GatewayClock.patience else {
            held = step
            return nil
        }
        held = nil
        offset += difference
        return .followed(by: difference)
    }
}

extension Timestamp {
    /// Within what can be written.
    fileprivate var bounded: Timestamp { min(max(self, .earliest), .latest) }
}
