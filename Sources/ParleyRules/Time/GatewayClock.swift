import ParleyProtocol

/// Two clocks at one moment: the machine's time of day, which may be set, and its uptime, which does not step.
package struct ClockReading: Hashable, Sendable {
    /// The time of day.
    package let wall: Timestamp
    /// Milliseconds since the machine's start, sleep included.
    package let sinceBoot: Int64

    package init(wall: Timestamp, sinceBoot: Int64) { (self.wall, self.sinceBoot) = (wall, sinceBoot) }
}

/// The gateway's time: the uptime of the machine, corrected by its time of day. A difference of the time of day is
///
/// - followed at once, ahead by a second or less;
/// - approached at half speed, behind by five minutes or less, so that the gateway's time never runs back for it;
/// - held otherwise, and followed by a step once it has lasted for five minutes.
///
/// The steady time has no steps at all: durations go by it. It only catches up where the machine has stood still.
package struct GatewayClock: Sendable {
    package struct Moment: Hashable, Sendable {
        /// The time that is published.
        package let now: Timestamp
        /// How far `now` is ahead of the steady time, in milliseconds: all that it has followed.
        package let clockOffset: Int64

        package init(now: Timestamp, clockOffset: Int64) { (self.now, self.clockOffset) = (now, clockOffset) }

        /// The time that runs as the machine does: durations are measured by it.
        package var steady: Timestamp { now.advanced(byMilliseconds: -clockOffset) }
    }

    /// A step of the time of day, in milliseconds; positive is forward.
    package enum Event: Hashable, Sendable {
        case held(by: Int64)
        case followed(by: Int64)
        /// A held step was taken back.
        case over
    }

    private struct Held {
        var difference: Int64
        /// In milliseconds since the machine's start.
        let since: Int64
    }

    /// From the uptime to the gateway's time.
    private var offset: Int64
    private var steadyOffset: Int64
    /// The last reading, in milliseconds since the machine's start.
    private var readAt: Int64
    private var held: Held?

    /// The most that is followed at once, in milliseconds.
    package static let unnoticed: Int64 = 1000
    /// The most that is approached, and how long a larger step must last, in milliseconds.
    package static let patience: Int64 = 300_000

    /// Takes over the time of day.
    ///
    /// - Parameter steady: the steady time.
    package init(_ reading: ClockReading, steady: Timestamp) {
        let wall = reading.wall.bounded
        offset = wall.milliseconds - reading.sinceBoot
        steadyOffset = steady.bounded.milliseconds - reading.sinceBoot
        readAt = reading.sinceBoot
    }

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

    /// Catches up with the steady time of another machine, as of the last reading.
    ///
    /// - Returns: by how many milliseconds this one was behind; 0 if it was not.
    package mutating func catchUp(with steady: Timestamp) -> Int64 {
        let behind = max(0, steady.bounded.milliseconds - (readAt + steadyOffset))
        steadyOffset += behind
        return behind
    }

    /// As of the last reading.
    ///
    /// - Parameter boot: see `StoredClock`.
    package func stored(boot: String?) -> StoredClock {
        StoredClock(
            boot: boot, bootOffset: boot == nil ? nil : offset, clockOffset: offset - steadyOffset,
            lastTime: Timestamp(milliseconds: readAt + offset))
    }

    /// Ends a held step.
    private mutating func settle() -> Event? {
        defer { held = nil }
        return held == nil ? nil : .over
    }

    private mutating func hold(_ difference: Int64, elapsed: Int64) -> Event? {
        // Another step begins anew; a small correction does not.
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
    fileprivate var bounded: Timestamp { min(max(self, .earliest), .latest) }
}
