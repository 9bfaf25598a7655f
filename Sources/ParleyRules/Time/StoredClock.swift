import ParleyProtocol

/// What is kept of the gateway's clock from one start to the next.
package struct StoredClock: Hashable, Sendable {
    /// The run of the machine in which it was written; `nil` if that was not known.
    package let boot: String?
    /// From how long that run has lasted to the gateway's time, in milliseconds.
    package let bootOffset: Int64?
    /// How far the gateway's time was ahead of the steady one, in milliseconds.
    package let clockOffset: Int64
    /// The last time that the gateway is known to have had; `nil` if none is.
    package let lastTime: Timestamp?

    package init(boot: String?, bootOffset: Int64?, clockOffset: Int64, lastTime: Timestamp?) {
        self.boot = boot
        self.bootOffset = bootOffset
        // What no clock of ours can have written is held at what it can.
        self.clockOffset = min(max(clockOffset, -StoredClock.largestOffset), StoredClock.largestOffset)
        self.lastTime = lastTime.map { min(max($0, .earliest), .latest) }
    }

    /// From one end of what a timestamp can say to the other.
    private static let largestOffset = Timestamp.latest.milliseconds - Timestamp.earliest.milliseconds

    /// The longest time that is taken to have passed while the machine did not run, in milliseconds: 31 days. Only the
    /// time of day can say it, which may be false by years when a machine starts.
    package static let longestPause: Int64 = 31 * 86_400_000

    /// The steady time when the gateway starts: in the same run of the machine it has gone on by as much as that has
    /// lasted; in another by as much as the time of day says, but never back and not by more than `longestPause`.
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
