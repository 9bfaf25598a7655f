import Platform
import ParleyProtocol

/// When the next of the kept requests is made.
struct RequestPacing {
    private var backoff = Backoff(first: .milliseconds(500), longest: .seconds(60))
    /// What has failed is not made again before.
    private var notBefore: ContinuousClock.Instant?
    /// The gateway takes nothing of this device before.
    private var limitedUntil: ContinuousClock.Instant?
    /// How many answers to the first request were the gateway's fault.
    private(set) var faults = 0

    /// When it is made; `nil` for now.
    func pausedUntil(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        [notBefore, limitedUntil].compactMap { $0 }.filter { $0 > now }.max()
    }

    /// There is a new connection: what waited because of the old one is made at once.
    mutating func markConnected() {
        notBefore = nil
        backoff.reset()
    }

    /// The first request is done, and the next one has its turn.
    mutating func succeed() { self = RequestPacing() }

    mutating func countFault() { faults += 1 }

    mutating func fail(
        _ error: ClientError, now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator
    ) {
        let pause = error.pause(from: now, &backoff, using: &generator)
        if case .refused(let rejection) = error, rejection.code == .rateLimited {
            limitedUntil = pause
        } else {
            notBefore = pause
        }
    }
}
