import Platform

/// Nanoseconds of the clock that only goes forward.
package enum MonotonicTime {
    package static var now: Int64 { SystemClock.monotonic.nanoseconds }
}

/// Nanoseconds of CPU time of the calling thread.
package enum ThreadTime {
    package static var now: Int64 { SystemClock.threadTime.nanoseconds }
}
