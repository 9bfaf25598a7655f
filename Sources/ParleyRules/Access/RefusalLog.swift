/// Limits the log of refusals to one line a second, with the number of others. Times are monotonic nanoseconds.
package struct RefusalLog: Sendable {
    private static let interval: Int64 = 1_000_000_000

    private var loggedAt: Int64?
    private var held = 0

    package init() {}

    /// - Returns: how many others were refused since the last line, if this refusal is logged.
    package mutating func add(uptime: Int64) -> Int? {
        if let loggedAt, uptime - loggedAt < RefusalLog.interval {
            held += 1
            return nil
        }
        defer { held = 0 }
        loggedAt = uptime
        return held
    }

    /// How many refusals were not logged, a second after the last line; `nil` for none.
    package mutating func drainHeld(uptime: Int64) -> Int? {
        guard held > 0, let loggedAt, uptime - loggedAt >= RefusalLog.interval else { return nil }
        defer { held = 0 }
        self.loggedAt = uptime
        return held
    }
}
