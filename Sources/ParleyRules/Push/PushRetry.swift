import ParleyProtocol

/// The back-off of jobs.
package enum PushRetry {
    /// The longest pause without `Retry-After`.
    package static let longestPause = Duration.seconds(600)
    package static let longestRetryAfter = Duration.days(1)
    /// A job that has failed so often is bypassed by others of its device: it may be the only one that the service does
    /// not accept.
    package static let attemptsInLine = 5
    /// The pause of a bypassed job, until the next look at the answer to the later one.
    package static let pauseOfBypassed = Duration.seconds(30)
    /// The pause of a job whose user has as many under way as they may.
    package static let pauseForTurn = Duration.milliseconds(500)

    /// The pause of a job whose user has as many under way as they may. Bypassed ones can be thousands: they look more
    /// rarely the older they are, some sixty times in a day.
    package static func pauseForTurn(isBypassed: Bool, age: Duration) -> Duration {
        isBypassed ? max(pauseOfBypassed, age / 8) : pauseForTurn
    }
    private static let firstPause = Duration.seconds(2)

    /// When a failed job is retried: at a random time in a pause that doubles with each attempt (2 s, 4 s, 8 s, at most
    /// 10 min), so that jobs that have failed together are not retried together. `Retry-After` comes before that pause.
    ///
    /// - Parameters:
    ///   - attempt: how many have failed before this one.
    ///   - retryAfter: counts as a day at most, and as none where it is negative.
    ///   - random: any 64 bits.
    ///   - deadline: when the job expires.
    /// - Returns: `nil` at the deadline or later.
    package static func next(
        afterAttempt attempt: Int, retryAfter: Duration?, random: UInt64, now: Timestamp, deadline: Timestamp
    ) -> Timestamp? {
        let pause = min(longestPause, firstPause * (1 << min(max(attempt, 0), 16)))
        // Of 2^64 equally likely numbers each millisecond has as many, save for one part in 2^44.
        let jitter = Int64(random % UInt64(pause.inMilliseconds + 1))
        let named = min(max(retryAfter ?? .zero, .zero), longestRetryAfter)
        let time = now.advanced(by: named).advanced(byMilliseconds: jitter)
        return time < deadline ? time : nil
    }
}
