import Platform

/// Nanoseconds of the clock that only goes forward.
package enum MonotonicTime {
    package static var now: Int64 { SystemClock.monotonic.nanoseconds }
}

/// Nanoseconds of CPU that the calling thread has had: what others use meanwhile does not count.
package enum ThreadTime {
    package static var now: Int64 { SystemClock.threadTime.nanoseconds }
}
