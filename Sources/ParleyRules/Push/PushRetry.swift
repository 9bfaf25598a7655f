import ParleyProtocol

/// When a push that has failed is tried again.
package enum PushRetry {
    /// The longest that is waited of one's own accord.
    package static let longestPause = Duration.seconds(600)
    /// The longest that a push service can make the gateway wait.
    package static let longestRetryAfter = Duration.days(1)
    /// A push that has failed so often is bypassed by others to the same device: it may be the only one that its
    /// service does not take.
    package static let attemptsInLine = 5
    /// How often one that was bypassed looks whether what follows it was taken.
    package static let pauseOfBypassed = Duration.seconds(30)
    /// How often one that its device waits for looks whether others of its user have left it room.
    package static let pauseForTurn = Duration.milliseconds(500)

    /// How long one whose user has as many under way as they may waits before it looks again. Of what was bypassed
    /// there can be thousands: it looks the more rarely the longer it has waited, some sixty times in a day.
    ///
    /// - Parameter age: since when it has been on its way.
    package static func pauseForTurn(isBypassed: Bool, age: Duration) -> Duration {
        isBypassed ? max(pauseOfBypassed, age / 8) : pauseForTurn
    }
    private static let firstPause = Duration.seconds(2)

    /// At a random time in a pause that doubles with every attempt (2 s, 4 s, 8 s, at most 10 min), so that those that
    /// have failed together do not come again together; where the service has named a pause, after that.
    ///
    /// - Parameters:
    ///   - attempt: how many have failed before this one: 0 for the first.
    ///   - retryAfter: what the service has named: as if it was a day where it is more, none where it is negative.
    ///   - random: any 64 bits.
    ///   - deadline: when the push is of no use any more.
    /// - Returns: `nil` where that would be at the deadline or later.
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
