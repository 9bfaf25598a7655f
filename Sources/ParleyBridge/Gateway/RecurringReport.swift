import Logging

/// Logs that something goes wrong: at once, then now and then while it does, and when it is over.
struct RecurringReport {
    private let logger: Logger
    private let level: Logger.Level
    private let interval: Duration
    private var saidAt: ContinuousClock.Instant?

    init(logger: Logger, level: Logger.Level = .warning, interval: Duration = .seconds(10)) {
        self.logger = logger
        self.level = level
        self.interval = interval
    }

    mutating func add(_ what: Logger.Message, _ reason: some CustomStringConvertible) {
        if let saidAt, ContinuousClock.now - saidAt < interval { return }
        saidAt = .now
        logger.log(level: level, what, metadata: ["reason": "\(reason)"])
    }

    mutating func end(_ what: Logger.Message) {
        if saidAt != nil { logger.notice(what) }
        saidAt = nil
    }
}
