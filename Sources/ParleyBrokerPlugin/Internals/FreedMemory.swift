/// Returns to the system what the broker has freed after an onslaught, which the C library would keep.
struct FreedMemory {
    private static let much = 32 << 20
    /// In nanoseconds: between two times, since the broker does nothing else meanwhile.
    private static let interval: Int64 = 5_000_000_000
    /// In nanoseconds: as long as more is being freed, it is too early.
    private static let patience: Int64 = 500_000_000

    private var most = 0
    private var last = 0
    private var changedAt: Int64 = 0
    private var trimmedAt: Int64 = 0

    /// A queue is thousands of small pieces. Joined only when a large piece is freed, those of many queues that end
    /// together took twice as long.
    init() { Broker.joinFreedMemory() }

    /// - Parameter used: bytes that the broker has allocated now.
    mutating func trim(used: Int, uptime: Int64) {
        most = max(most, used)
        if abs(used - last) > 1 << 20 { (last, changedAt) = (used, uptime) }
        guard most - used > FreedMemory.much, uptime - changedAt > FreedMemory.patience,
            uptime - trimmedAt > FreedMemory.interval
        else { return }
        most = used
        trimmedAt = uptime
        Broker.trimMemory()
    }
}
