/// Which refusals are logged: one a second at most, with how many others there were.
///
/// Times are nanoseconds of a clock that nobody sets.
package struct RefusalLog: Sendable {
    private static let interval: Int64 = 1_000_000_000

    private var loggedAt: Int64?
    private var held = 0

    package init() {}

    /// Something is refused.
    ///
    /// - Returns: how many others were since the last line, if this one is to be logged.
    package mutating func add(uptime: Int64) -> Int? {
        if let loggedAt, uptime - loggedAt < RefusalLog.interval {
            held += 1
            return nil
        }
        defer { held = 0 }
        loggedAt = uptime
        return held
    }

    /// How many were refused and not logged, once nothing was for a second; `nil` if there are none.
    package mutating func drainHeld(uptime: Int64) -> Int? {
        guard held > 0, let loggedAt, uptime - loggedAt >= RefusalLog.interval else { return nil }
        defer { held = 0 }
        self.loggedAt = uptime
        return held
    }
}
