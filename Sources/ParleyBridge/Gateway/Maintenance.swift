import Logging
import ParleyProtocol

/// What is done once an hour: the operator's credentials are renewed before they expire.
final class Maintenance {
    private let access: OperatorAccess
    private let logger: Logger
    private var nextAt = ContinuousClock.now.advanced(by: .seconds(3600))

    init(access: OperatorAccess, logger: Logger) {
        self.access = access
        self.logger = logger
    }

    /// - Parameter handOn: is given what a transaction has caused.
    func run(_ writer: Writer, now: Timestamp, handOn: (Effects) -> Void) {
        guard ContinuousClock.now >= nextAt else { return }
        nextAt = .now.advanced(by: .seconds(3600))
        do {
            try access.ensure(writer, now: now, handOn: handOn)
        } catch {
            logger.warning("the operator's credentials could not be renewed", metadata: ["error": "\(error)"])
        }
    }
}
