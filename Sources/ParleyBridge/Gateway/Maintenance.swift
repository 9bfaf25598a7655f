import Logging
import ParleyProtocol

/// The hourly work: renews the operator's credentials before they expire.
final class Maintenance {
    private let renewAccess: (Timestamp) throws -> Void
    private let logger: Logger
    private var nextAt = ContinuousClock.now.advanced(by: .seconds(3600))

    init(logger: Logger, renewAccess: @escaping (Timestamp) throws -> Void) {
        (self.logger, self.renewAccess) = (logger, renewAccess)
    }

    func run(now: Timestamp) {
        guard ContinuousClock.now >= nextAt else { return }
        nextAt = .now.advanced(by: .seconds(3600))
        do {
            try renewAccess(now)
        } catch {
            logger.warning("the operator's credentials could not be renewed", metadata: ["error": "\(error)"])
        }
    }
}
