import Launch
import GatewaySite
import ParleyBridge

extension Site {
    /// Starts what stands between the senders and their conversations, and returns when it is ready.
    ///
    /// - Parameter otherParleyd: the program of ``System/otherGateway``.
    func start(_ system: System, otherParleyd: String? = nil) throws -> ChildProcess {
        let relay = ["relay", "--data", directory.path]
        return switch system {
        case .gatewayEvent, .gatewayReply: try startGateway()
        case .otherGateway: try startGateway(otherParleyd)
        case .relay: try startOwnProgram(relay, name: "relay")
        case .storedRelay: try startOwnProgram(relay + ["--store", directory.path + "/relay.db"], name: "relay")
        }
    }
}
