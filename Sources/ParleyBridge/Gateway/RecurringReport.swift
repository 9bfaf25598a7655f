import Logging

/// Logs that something goes wrong: at once, then every 10 s while it does, and when it is over.
struct RecurringReport {
    private let logger: Logger
    private let level: Logger.Level
    private var saidAt: ContinuousClock.Instant?

    private static let interval = Duration.seconds(10)

    init(logger: Logger, level: Logger.Level = .warning) {
        self.logger = logger
        self.level = level
    }

    mutating func add(_ what: Logger.Message, _ reason: some CustomStringConvertible) {
        if let saidAt, ContinuousClock.now - saidAt < RecurringReport.interval { return }
        saidAt = .now
        logger.log(level: level, what, metadata: ["reason": "\(reason)"])
    }

    mutating func end(_ what: Logger.Message) {
        if saidAt != nil { logger.notice(what) }
        saidAt = nil
    }
}
