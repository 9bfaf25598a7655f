/// Which server has answered a read, where a standby may.
package enum ReadServer: Hashable, Sendable {
    case primary
    case standby
    /// The primary, since the standby did not have all that was committed.
    case primaryForLaggingStandby
    /// The primary, since the standby could not be read.
    case primaryForLostStandby
}

extension StoreEngine {
    package func readAnywhere<Result>(
        _ report: (ReadServer) -> Void, _ body: (Database) throws -> Result
    ) throws -> Result {
        report(.primary)
        return try read(body)
    }
}
