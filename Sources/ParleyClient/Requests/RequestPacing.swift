import ParleyDeviceStore
import ParleyProtocol
import Platform

/// When the next of the kept requests is made.
final class RequestPacing {
    private var backoff = Backoff(first: .milliseconds(500), longest: .seconds(60))
    /// What has failed is not made again before.
    private var notBefore: ContinuousClock.Instant?
    /// The gateway takes nothing of this device before.
    private var limitedUntil: ContinuousClock.Instant?
    /// How many answers to the first request were the gateway's fault.
    private(set) var faults = 0
    /// Requests that were put behind others for such answers, and were not answered otherwise since.
    private var putBehind: Set<UUIDValue> = []
    /// Requests up to this position cannot be read.
    var unreadableThrough = Int.min
    /// What the app was told of those.
    private var disclosed: Set<DeviceStoreError> = []

    /// After so many answers that are the gateway's fault a request has its next turn behind all others.
    private static let mostFaults = 8

    /// When it is made; `nil` for now.
    func pausedUntil(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        [notBefore, limitedUntil].compactMap { $0 }.filter { $0 > now }.max()
    }

    /// There is a new connection: what waited because of the old one is made at once.
    func markConnected() {
        notBefore = nil
        backoff.reset()
    }

    /// A request is done, and the next one has its turn.
    func succeed(_ request: UUIDValue) {
        putBehind.remove(request)
        notBefore = nil
        limitedUntil = nil
        faults = 0
        backoff.reset()
    }

    /// An answer to the first request was the gateway's fault. The pauses go on to grow, whoever has the next turn.
    ///
    /// - Returns: whether the request is to be put behind the others: after several such answers, and if it was
    ///   already, after one.
    func countFault(of request: UUIDValue) -> Bool {
        faults += 1
        guard faults >= RequestPacing.mostFaults || putBehind.contains(request) else { return false }
        putBehind.insert(request)
        faults = 0
        return true
    }

    /// - Returns: whether the app was not told yet.
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
