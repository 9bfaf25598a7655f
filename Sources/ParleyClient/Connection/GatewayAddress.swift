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
    }

    package init(host: String, mqttPort: UInt16, transport: Transport) {
        (self.host, self.mqttPort, self.transport) = (host, mqttPort, transport)
        webPort = nil
    }

    package var address: GatewayAddress {
        switch transport {
        case .plain: .tcp(host: host, port: mqttPort)
        case .tls(let caFile): .tls(host: host, port: mqttPort, caFile: caFile)
        }
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

    init?(_ object: JSONObject) {
        let ports = 1...Int(UInt16.max)
        guard let host = try? object.text("host", maximum: 253),
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
            default: return nil
            }
        } catch {
            return nil
        }
    }
}
