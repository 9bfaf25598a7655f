/// Gives the system back what the broker has freed after an onslaught, which the C library would keep.
struct FreedMemory {
    private static let much = 32 << 20
    /// In nanoseconds: to look for what is free takes as long as the broker stands still.
    private static let interval: Int64 = 5_000_000_000

    private var most = 0
    private var trimmedAt: Int64 = 0

    /// - Parameter used: bytes that the broker has allocated now.
    mutating func trim(used: Int, uptime: Int64) {
        most = max(most, used)
        guard most - used > FreedMemory.much, uptime - trimmedAt > FreedMemory.interval else { return }
        most = used
        trimmedAt = uptime
        Broker.trimMemory()
    }
}
