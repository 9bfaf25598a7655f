import ParleyProtocol
import ParleyStore
import Platform

/// The state that the gateway's threads share.
final class GatewayState: Sendable {
    let stop = StopFlag()
    /// Why the store cannot be used by this process any more.
    let storeEnd = Monitor<StoreError?>(nil)
    let counters: Counters
    let publishedThrough = PublishedPosition()
    /// The same of the streams of all cells.
    let publishedStreams = Monitor(StreamVector())
    /// What of the other cells' streams was read and not handed on begins here, by stream; see `Interest`.
    let passedOver = Monitor<[Int: StreamPosition]>([:])
    let states = StateNews()
    /// Whether the intake is subscribed, so that no request of a device that signs in is lost.
    let isIntakeAttached = Monitor(false)
    /// Whether the intake has committed its last batch.
    let hasIntakeEnded = StopFlag()
    let turns = LoopTurns()
    let readiness = Readiness()
    let settings: LiveSettings
    /// What is shown of the parts of the gateway while it runs.
    let levels = Monitor<GatewayLevels?>(nil)
    let selfRequest: Monitor<SelfRequest>
    let clock: MachineClock
    let onReady: @Sendable () -> Void

    init(
        settings: Settings = Settings(), counters: Counters, selfRequest: SelfRequest, clock: MachineClock,
        onReady: @escaping @Sendable () -> Void
    ) {
        self.settings = LiveSettings(settings)
        self.counters = counters
        self.selfRequest = Monitor(selfRequest)
        self.clock = clock
        self.onReady = onReady
    }

    /// The broker has acknowledged more.
    func recordPublished(_ publications: Publications) {
        publishedThrough.set(publications.publishedThrough)
        publishedStreams.withLock { $0.advance(to: publications.publishedStreams) }
    }
}
