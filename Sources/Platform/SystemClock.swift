/// A clock of the system (`clock_gettime`).
package enum SystemClock: Sendable {
    /// The time of day since 1970, which people and programs set.
    case timeOfDay
    /// The time since the start of the machine, with its sleep. Nobody sets it.
    case sinceBoot
    /// Only moves forward, and stands still while the machine sleeps.
    case monotonic
    /// The processor time of the calling thread.
    case threadTime
    /// The processor time of the process.
    case processTime

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
        case .processTime: CLOCK_PROCESS_CPUTIME_ID
        }
    }

    #if canImport(Darwin)
        // Darwin's monotonic clock counts the machine's sleep, unlike that of other systems.
        private static var bootTime: clockid_t { CLOCK_MONOTONIC }
    #else
        private static var bootTime: clockid_t { CLOCK_BOOTTIME }
    #endif
}
