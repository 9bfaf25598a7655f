import NIOConcurrencyHelpers
import NIOCore
import ParleyProtocol

/// How often strangers of one network may ask, whatever they ask: the gateway limits their attempts, but reads each
/// request before. 120 at once, and two a second; this machine as often as it likes.
struct NetworkLimit: Sendable {
    /// By network: when all that it may ask at once is there again. Each request moves it on.
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
