import MQTTClient
import ParleyClient
import ParleyProtocol

/// A device's transport over libmosquitto.
public struct MosquittoTransport: DeviceTransport {
    private static let keepAlive: Duration = .seconds(30)

    public init() {}

    public func connect(_ signIn: SignIn, signal: LoopSignal) throws(ConnectionError) -> any TransportConnection {
        guard let endpoint = signIn.gateway.endpoint else { throw .other(UnsupportedAddress()) }
        var configuration = MQTTConfiguration(endpoint: endpoint, clientID: signIn.clientID)
        configuration.username = signIn.credentials.username
        configuration.password = Secret(signIn.credentials.password)
        configuration.keepAlive = MosquittoTransport.keepAlive
        do throws(MQTTError) {
            let connection = try MQTTConnection(configuration)
            try connection.connect(timeout: signIn.timeout)
            return MosquittoConnection(connection, signal: signal)
        } catch {
            throw ConnectionError(error)
        }
    }

    public func diagnose(
        _ cause: ConnectionError, at gateway: GatewayAddress, timeout: Duration
    ) -> ConnectionError? { TLSDiagnosis.look(at: gateway, timeout: timeout) }
}

/// libmosquitto 2.0 has no client for WebSocket.
private struct UnsupportedAddress: Error, CustomStringConvertible {
    var description: String { "libmosquitto speaks no WebSocket; WebSocketTransport of ParleyCurl does" }
}

extension GatewayAddress {
    /// `nil` for what libmosquitto does not reach.
    var endpoint: MQTTEndpoint? {
        switch self {
        case .tcp(let host, let port): .tcp(host: host, port: port)
        case .tls(let host, let port, let caFile): .tls(host: host, port: port, caFile: caFile)
        case .unixSocket(let path): .unixSocket(path: path)
        case .webSocket: nil
        }
    }
}
