import ParleyProtocol

/// The gateway's clock from one start to the next.
package struct StoredClock: Hashable, Sendable {
    /// The run of the machine in which it was written, if known.
    package let boot: String?
    /// From the uptime of that run to the gateway's time, in milliseconds.
    package let bootOffset: Int64?
    /// How far the gateway's time was ahead of the steady one, in milliseconds.
    package let clockOffset: Int64
    /// The last known time of the gateway.
    package let lastTime: Timestamp?

    package init(boot: String?, bootOffset: Int64?, clockOffset: Int64, lastTime: Timestamp?) {
        self.boot = boot
        self.bootOffset = bootOffset
        // Clamped to values that a clock of ours can have written.
        self.clockOffset = min(max(clockOffset, -StoredClock.largestOffset), StoredClock.largestOffset)
        self.lastTime = lastTime.map { min(max($0, .earliest), .latest) }
    }

    /// The range of a timestamp.
    private static let largestOffset = Timestamp.latest.milliseconds - Timestamp.earliest.milliseconds

    /// The most that counts as passed between two runs of the machine, in milliseconds: 31 days. It follows from the
    /// time of day, which may be wrong by years when a machine starts.
    package static let longestPause: Int64 = 31 * 86_400_000

    /// The steady time at the gateway's start: in the same run of the machine it has gone on with the uptime; in
    /// another with the time of day, but never back and by `longestPause` at most.
    package func steady(_ reading: ClockReading, boot: String?) -> Timestamp {
        if let boot, boot == self.boot, let bootOffset {
            return Timestamp(milliseconds: reading.sinceBoot).advanced(byMilliseconds: bootOffset)
                .advanced(byMilliseconds: -clockOffset)
        }
        guard let lastTime else { return reading.wall.advanced(byMilliseconds: -clockOffset) }
        let wall = min(max(reading.wall, .earliest), .latest)
        let pause = wall.milliseconds - lastTime.milliseconds
        return lastTime.advanced(byMilliseconds: min(max(0, pause), StoredClock.longestPause) - clockOffset)
    }
}
