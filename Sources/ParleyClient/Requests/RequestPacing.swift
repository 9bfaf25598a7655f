import ParleyDeviceStore
import ParleyProtocol
import Platform

final class RequestPacing {
    private var backoff = Backoff(first: .milliseconds(500), longest: .seconds(60))
    /// The end of the pause after a failure.
    private var notBefore: ContinuousClock.Instant?
    /// The end of the gateway's rate limit.
    private var limitedUntil: ContinuousClock.Instant?
    /// The faulty answers to the first request.
    private(set) var faults = 0
    /// Requests that were moved to the end for faulty answers, and not answered since.
    private var putBehind: Set<UUIDValue> = []
    /// Requests up to this position are unreadable.
    var unreadableThrough = Int.min
    /// The failures that the app was told of.
    private var disclosed: Set<DeviceStoreError> = []

    /// The number of faulty answers after which a request moves to the end.
    private static let mostFaults = 8

    /// `nil` for now.
    func pausedUntil(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        [notBefore, limitedUntil].compactMap { $0 }.filter { $0 > now }.max()
    }

    /// A new connection: delayed requests are due at once.
    func markConnected() {
        notBefore = nil
        backoff.reset()
    }

    func succeed(_ request: UUIDValue) {
        putBehind.remove(request)
        notBefore = nil
        limitedUntil = nil
        faults = 0
        backoff.reset()
    }

    /// Counts a faulty answer to the first request. The pauses keep growing, whichever request is next.
    ///
    /// - Returns: whether to move the request to the end: after several faulty answers, or after one if it was moved
    ///   before.
    func countFault(of request: UUIDValue) -> Bool {
        faults += 1
        guard faults >= RequestPacing.mostFaults || putBehind.contains(request) else { return false }
        putBehind.insert(request)
        faults = 0
        return true
    }

    /// - Returns: whether to tell the app.
    func disclose(_ failure: DeviceStoreError) -> Bool { disclosed.insert(failure).inserted }

    func fail(_ error: ClientError, now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator) {
        let pause = error.pause(from: now, &backoff, using: &generator)
        if case .refused(let rejection) = error, rejection.code == .rateLimited {
            limitedUntil = pause
        } else {
            notBefore = pause
        }
    }
}
