/// A clock of the system (`clock_gettime`).
package enum SystemClock: Sendable {
    /// The time of day, since 1970: people and programs set it.
    case timeOfDay
    /// Since the machine started, its sleep included. Nobody sets it.
    case sinceBoot
    /// Goes only forward, and stands still while the machine sleeps.
    case monotonic
    /// The time of processors that the calling thread has had.
    case threadTime

    /// Nanoseconds.
    package var nanoseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Milliseconds, rounded down.
    package var milliseconds: Int64 { nanoseconds / 1_000_000 }

    private var id: clockid_t {
        switch self {
        case .timeOfDay: CLOCK_REALTIME
        case .sinceBoot: SystemClock.bootTime
        case .monotonic: CLOCK_MONOTONIC
        case .threadTime: CLOCK_THREAD_CPUTIME_ID
        }
    }

    #if canImport(Darwin)
        // Darwin's counts the machine's sleep in the one that elsewhere does not.
        private static var bootTime: clockid_t { CLOCK_MONOTONIC }
    #else
        private static var bootTime: clockid_t { CLOCK_BOOTTIME }
    #endif
}
