import MQTTClient
import ParleyProtocol
import PrivateFiles

/// Where a gateway's broker listens for devices.
public enum GatewayAddress: Hashable, Sendable {
    /// Unencrypted: for a gateway on the same machine.
    case tcp(host: String, port: UInt16)
    /// The server's certificate and name are verified, against `caFile` (PEM) or else the system's store.
    case tls(host: String, port: UInt16, caFile: String?)
    /// The path has at most 107 bytes.
    case unixSocket(path: String)

    var endpoint: MQTTEndpoint {
        switch self {
        case .tcp(let host, let port): .tcp(host: host, port: port)
        case .tls(let host, let port, let caFile): .tls(host: host, port: port, caFile: caFile)
        case .unixSocket(let path): .unixSocket(path: path)
        }
    }
}

/// Where the gateway of a data directory listens: `DIR/endpoint.json`, which `parleyd init` writes.
package struct LocalEndpoint: Hashable, Sendable {
    package let host: String
    package let mqttPort: UInt16
    package let webSocketPort: UInt16

    package var address: GatewayAddress { .tcp(host: host, port: mqttPort) }

    /// - Returns: `nil` if the file does not say what it should.
    /// - Throws: ``FileError``, also when there is no such file.
    package static func read(in dataDirectory: String) throws(FileError) -> LocalEndpoint? {
        LocalEndpoint(json: try Files.read("\(dataDirectory)/endpoint.json", maximum: 4096).bytes)
    }

    init?(json bytes: [UInt8]) {
        let ports = 1...Int(UInt16.max)
        guard let object = try? JSONObject(parsing: bytes), let host = try? object.text("host", maximum: 253),
            let mqttPort = try? object.integer("mqtt_port", in: ports),
            let webSocketPort = try? object.integer("ws_port", in: ports)
        else { return nil }
        self.host = host
        self.mqttPort = UInt16(mqttPort)
        self.webSocketPort = UInt16(webSocketPort)
    }
}
