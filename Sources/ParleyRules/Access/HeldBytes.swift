/// The bytes that a client's socket has carried so far.
package struct SocketBytes: Hashable, Sendable {
    /// By the broker.
    package let read: Int
    /// By the broker, received by the client or not.
    package let written: Int

    package init(read: Int, written: Int) { (self.read, self.written) = (read, written) }
}

/// The bytes that the broker holds for a connection: queued, less written to its socket. Of an unknown socket 32 KiB a
/// second count as written.
struct HeldBytes: Sendable {
    private static let assumedBytesPerSecond = 32 * 1024
    /// Messages that the broker dropped are never written, and forgotten at this rate, 5 MB a day.
    private static let forgottenBytesPerSecond = 64

    /// Queued and not written: bytes on the wire, and the broker's cost.
    private var wire = 0.0
    private var cost = 0.0
    /// The most that was written for messages, if known.
    private var written: Int?
    private var measuredAt: Int64 = 0
    /// Held, if the socket is unknown.
    private var assumed = Consumption()

    mutating func add(_ length: Int, overhead: Int, uptime: Int64) {
        wire += Double(length)
        cost += Double(length + overhead)
        assumed.add(length + overhead, perSecond: HeldBytes.assumedBytesPerSecond, uptime: uptime)
    }

    /// - Parameters:
    ///   - bytes: written so far. More than was queued is not credited to later messages.
    ///   - answers: how many of them, at most, were no messages.
    mutating func recordWritten(_ bytes: Int, answers: Int, uptime: Int64) {
        let messages = max(written ?? 0, bytes - answers)
        drain(Double(messages - (written ?? 0)))
        written = messages
        let elapsed = Double(max(0, uptime - measuredAt)) / 1_000_000_000
        if measuredAt > 0 { drain(elapsed * Double(HeldBytes.forgottenBytesPerSecond)) }
        measuredAt = max(measuredAt, uptime)
    }

    /// The socket is unknown from now on.
    mutating func endMeasuring() { written = nil }

    private mutating func drain(_ bytes: Double) {
        guard bytes > 0 else { return }
        guard bytes < wire else {
            (wire, cost) = (0, 0)
            return
        }
        cost -= cost * bytes / wire
        wire -= bytes
    }

    func remaining(uptime: Int64) -> Int {
        guard written == nil else { return Int(min(cost, 1e12)) }
        return Int(assumed.remaining(perSecond: HeldBytes.assumedBytesPerSecond, uptime: uptime))
    }
}
