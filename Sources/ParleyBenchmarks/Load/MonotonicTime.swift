import Glibc

/// Nanoseconds of the clock that only goes forward.
enum MonotonicTime {
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Nanoseconds of CPU that the calling thread has had: what others use meanwhile does not count.
enum ThreadTime {
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
