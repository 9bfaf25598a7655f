import Platform
import ParleyProtocol

/// The state that the gateway's threads share.
final class GatewayState: Sendable {
    let stop = StopFlag()
    let counters: Counters
    /// Everything up to here the broker has acknowledged.
    let publishedThrough = PublishedPosition()
    /// Whether the intake is subscribed, so that no request of a device that signs in is lost.
    let isIntakeAttached = Monitor(false)
    /// Whether the intake has committed its last batch.
    let hasIntakeEnded = StopFlag()
    /// Watches whether the broker still delivers to the intake.
    let selfRequest: Monitor<SelfRequest>
    let clock: MachineClock
    let onReady: @Sendable () -> Void

    init(
        counters: Counters, selfRequest: SelfRequest, clock: MachineClock, onReady: @escaping @Sendable () -> Void
    ) {
        self.counters = counters
        self.selfRequest = Monitor(selfRequest)
        self.clock = clock
        self.onReady = onReady
    }
}
