import NIOConcurrencyHelpers
import NIOCore
import ParleyProtocol

/// The rate of requests without a token from one network: 120 at once and two a second, without a limit for this
/// machine. The gateway limits attempts, but only after it has read a request.
struct NetworkLimit: Sendable {
    /// By network: the time at which its bucket is full again. Each request moves it on.
    private let fullAt = NIOLockedValueBox(BoundedCache<ClientNetwork, NIODeadline>(capacity: NetworkLimit.most))

    private static let most = 16_384
    static let burst = 120
    private static let interval = TimeAmount.milliseconds(500)

    /// - Throws: `rate_limited`
    func take(_ network: ClientNetwork, now: NIODeadline = .now()) throws(APIRefusal) {
        guard !network.isLoopback else { return }
        let wait = fullAt.withLockedValue { fullAt -> TimeAmount? in
            let next = max(fullAt[network] ?? now, now) + NetworkLimit.interval
            let allowed = now + NetworkLimit.interval * NetworkLimit.burst
            guard next <= allowed else { return next - allowed }
            fullAt[network] = next
            return nil
        }
        guard let wait else { return }
        throw APIRefusal(
            Rejection(
                .rateLimited, "Too many requests of one network; wait a little.",
                retryAfterMilliseconds: Int(wait.nanoseconds / 1_000_000) + 1))
    }
}
