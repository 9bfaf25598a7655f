/// What a client's socket has carried since it was connected, in bytes.
package struct SocketBytes: Hashable, Sendable {
    /// What the broker has read.
    package let read: Int
    /// What the broker has written, whether the client has received it or not.
    package let written: Int

    package init(read: Int, written: Int) { (self.read, self.written) = (read, written) }
}

/// What the broker holds for one connection: what was queued for it, less what the broker has written to its socket.
///
/// Of a connection whose socket is not known, 32 KiB a second are taken for written.
struct HeldBytes: Sendable {
    private static let assumedBytesPerSecond = 32 * 1024
    /// What the broker dropped by itself is never written. It is forgotten at this rate, 5 MB a day.
    private static let forgottenBytesPerSecond = 64

    /// What was queued and not written: as it is on the wire, and with what it costs the broker besides.
    private var wire = 0.0
    private var cost = 0.0
    /// The most that was written for messages, as far as it is known; `nil` while nothing shows it.
    private var written: Int?
    private var measuredAt: Int64 = 0
    /// What would be held where nothing shows what was written.
    private var assumed = Consumption()

    /// A message is about to be queued.
    mutating func add(_ length: Int, overhead: Int, uptime: Int64) {
        wire += Double(length)
        cost += Double(length + overhead)
        assumed.add(length + overhead, perSecond: HeldBytes.assumedBytesPerSecond, uptime: uptime)
    }

    /// The broker has written so much since the connection began, of which so much at most was no message. What was
    /// written beyond what was queued counts for nothing later.
    mutating func recordWritten(_ bytes: Int, answers: Int, uptime: Int64) {
        let messages = max(written ?? 0, bytes - answers)
        drain(Double(messages - (written ?? 0)))
        written = messages
        let elapsed = Double(max(0, uptime - measuredAt)) / 1_000_000_000
        if measuredAt > 0 { drain(elapsed * Double(HeldBytes.forgottenBytesPerSecond)) }
        measuredAt = max(measuredAt, uptime)
    }

    /// Nothing shows any more what is written.
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
