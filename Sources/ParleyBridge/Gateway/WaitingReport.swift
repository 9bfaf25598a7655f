import Logging
import MQTTClient

/// Says what is waited for: at once, then now and then, and when it is over.
struct WaitingReport {
    private let logger: Logger
    private var saidAt: ContinuousClock.Instant?

    private static let interval = Duration.seconds(10)

    init(logger: Logger) { self.logger = logger }

    mutating func add(_ what: String, _ error: any Error) {
        if let saidAt, ContinuousClock.now - saidAt < WaitingReport.interval { return }
        saidAt = .now
        logger.warning("waiting for \(what)", metadata: ["reason": "\(error)"])
    }

    mutating func isOver() {
        if saidAt != nil { logger.notice("connected again") }
        saidAt = nil
    }
}
