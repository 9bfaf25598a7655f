import Logging

/// Says that something goes wrong: at once, then every 10 s while it does, and when it is over.
struct RecurringReport {
    private let logger: Logger
    private var saidAt: ContinuousClock.Instant?

    private static let interval = Duration.seconds(10)

    init(logger: Logger) { self.logger = logger }

    mutating func add(_ what: Logger.Message, _ reason: some CustomStringConvertible) {
        if let saidAt, ContinuousClock.now - saidAt < RecurringReport.interval { return }
        saidAt = .now
        logger.warning(what, metadata: ["reason": "\(reason)"])
    }

    mutating func isOver(_ what: Logger.Message) {
        if saidAt != nil { logger.notice(what) }
        saidAt = nil
    }
}
