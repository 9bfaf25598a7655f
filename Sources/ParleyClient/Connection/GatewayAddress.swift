import ParleyProtocol
import PrivateFiles

/// The address of a gateway's broker.
public enum GatewayAddress: Hashable, Sendable {
    /// Unencrypted: for a gateway on the same machine.
    case tcp(host: String, port: UInt16)
    /// The server's certificate and name are verified, against `caFile` (PEM) or else the system's store.
    case tls(host: String, port: UInt16, caFile: String?)
    /// The path has at most 107 bytes.
    case unixSocket(path: String)
    /// MQTT over WebSocket, as a web door takes it: `wss://HOST:PORT/PATH`, trusting as ``tls(host:port:caFile:)``
    /// does, or `ws://…` unencrypted.
    case webSocket(url: String, caFile: String?)
}

/// The address of a data directory's gateway: `DIR/endpoint.json`, which `parleyd init` writes.
package struct LocalEndpoint: Hashable, Sendable {
    package let host: String
    package let mqttPort: UInt16
    package let transport: Transport
    /// Of the web door on this machine; `nil` if it is not known.
    package let webPort: UInt16?

    package enum Transport: Hashable, Sendable {
        case plain
        /// Trusting the certificates of `caFile`, or else the system's.
        case tls(caFile: String?)
        /// Of a web door: the same, over TLS unless `isPlain`. The path begins with a slash.
        case webSocket(path: String, isPlain: Bool, caFile: String?)

        package var isEncrypted: Bool {
            switch self {
            case .plain, .webSocket(_, isPlain: true, _): false
            case .tls, .webSocket: true
            }
        }

        /// The certificates that are trusted; `nil` for the system's.
        package var caFile: String? {
            switch self {
            case .plain: nil
            case .tls(let caFile), .webSocket(_, _, let caFile): caFile
            }
        }

        /// The scheme of its URL.
        package var scheme: String {
            switch self {
            case .plain: "mqtt"
            case .tls: "mqtts"
            case .webSocket(_, let isPlain, _): isPlain ? "ws" : "wss"
            }
        }
    }

    package init(host: String, mqttPort: UInt16, transport: Transport) {
        (self.host, self.mqttPort, self.transport) = (host, mqttPort, transport)
        webPort = nil
    }

    /// The same with other certificates to trust, where it is encrypted.
    package func trusting(_ caFile: String?) -> LocalEndpoint {
        let transport: Transport =
            switch transport {
            case .plain: .plain
            case .tls: .tls(caFile: caFile)
            case .webSocket(let path, let isPlain, _):
                .webSocket(path: path, isPlain: isPlain, caFile: isPlain ? nil : caFile)
            }
        return LocalEndpoint(host: host, mqttPort: mqttPort, transport: transport)
    }

    package var address: GatewayAddress {
        switch transport {
        case .plain: .tcp(host: host, port: mqttPort)
        case .tls(let caFile): .tls(host: host, port: mqttPort, caFile: caFile)
        case .webSocket(_, _, let caFile): .webSocket(url: url, caFile: caFile)
        }
    }

    /// Such as `mqtts://chat.example.org:8883`.
    package var url: String {
        let host = host.contains(":") ? "[\(host)]" : host
        var path = ""
        if case .webSocket(let named, _, _) = transport { path = named }
        return "\(transport.scheme)://\(host):\(mqttPort)\(path)"
    }

    /// The operator's address: the gateway's socket, which only the owner of the data directory can reach.
    package static func operatorAddress(in dataDirectory: String) -> GatewayAddress {
        let socket = "/" + DataDirectoryLayout.brokerSocket
        // `parleyd init` ensures that the absolute path fits.
        guard dataDirectory.utf8.count + socket.utf8.count > DataDirectoryLayout.longestSocketPath else {
            return .unixSocket(path: dataDirectory + socket)
        }
        return .unixSocket(path: ((try? Files.absolutePath(dataDirectory)) ?? dataDirectory) + socket)
    }

    /// - Returns: `nil` if the file is malformed.
    /// - Throws: ``FileError``, also when there is no such file.
    package static func read(in dataDirectory: String) throws(FileError) -> LocalEndpoint? {
        LocalEndpoint(json: try Files.read("\(dataDirectory)/\(DataDirectoryLayout.endpoint)", maximum: 8192).bytes)
    }

    init?(json bytes: [UInt8]) {
        guard let object = try? JSONObject(parsing: bytes) else { return nil }
        self.init(object)
    }

    package init?(_ object: JSONObject) {
        let ports = 1...Int(UInt16.max)
        guard let host = try? object.text("host", maximum: 253), LocalEndpoint.isHost(host),
            let mqttPort = try? object.integer("mqtt_port", in: ports)
        else { return nil }
        self.host = host
        self.mqttPort = UInt16(mqttPort)
        do {
            webPort = try object.integer("web_port", in: ports).map { UInt16($0) }
            let caFile = try object.text("ca_file", maximum: 4096)
            switch try object.text("scheme", maximum: 16) {
            case nil, "mqtt": transport = .plain
            case "mqtts": transport = .tls(caFile: caFile)
            case let scheme? where ["ws", "wss"].contains(scheme):
                guard let path = try object.text("path", maximum: Limits.urlBytes), path.hasPrefix("/") else {
                    return nil
                }
                transport = .webSocket(path: path, isPlain: scheme == "ws", caFile: caFile)
            default: return nil
            }
        } catch {
            return nil
        }
    }

    /// It may stand in a URL, and on a line of the options of Mosquitto's clients.
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !text.contains { "/?#@".contains($0) }
    }
}
