import ArgumentParser
import ParleyClient
import ParleyIdentity
import ParleyProtocol

/// Where a gateway takes MQTT: `HOST:PORT`, or a URL: `mqtts://HOST`, `wss://HOST/PATH` of a web door, and on this
/// machine `mqtt://` and `ws://`, which are not encrypted. A URL may leave its port out.
struct BrokerAddress: Hashable, ExpressibleByArgument {
    let host: String
    let port: UInt16
    /// `nil` if the way is not named.
    private let scheme: Scheme?
    /// Of a WebSocket: where the door takes MQTT.
    private let path: String

    private enum Scheme: String, CaseIterable {
        case mqtt, mqtts, ws, wss

        var isPlain: Bool { self == .mqtt || self == .ws }
        var isWebSocket: Bool { self == .ws || self == .wss }

        /// Those of `parleyd init` and of HTTP.
        var port: UInt16 {
            switch self {
            case .mqtt: 1893
            case .mqtts: 8883
            case .ws: 80
            case .wss: 443
            }
        }
    }

    /// Where a web door takes MQTT.
    private static let doorPath = "/mqtt"

    /// Whether it names its way, as the URLs do.
    static func isURL(_ argument: String) -> Bool {
        Scheme.allCases.contains { argument.hasPrefix("\($0.rawValue)://") }
    }

    init?(argument: String) {
        scheme = Scheme.allCases.first { argument.hasPrefix("\($0.rawValue)://") }
        let rest = argument.dropFirst(scheme.map { $0.rawValue.utf8.count + 3 } ?? 0)
        let authority = rest.prefix { $0 != "/" }
        guard let url = WebURL("https://" + rest), !rest.contains("?"), !rest.contains("#") else { return nil }
        let namesPort = (authority.lastIndex(of: "]").map { authority[$0...] } ?? authority).contains(":")
        guard let port = namesPort ? UInt16(exactly: url.port) : scheme?.port,
            scheme?.isPlain != true || Loopback.has(url.host)
        else { return nil }
        (host, self.port) = (url.host, port)
        let path = rest.dropFirst(authority.count)
        guard scheme?.isWebSocket == true else {
            guard path.isEmpty || (scheme != nil && path == "/") else { return nil }
            self.path = ""
            return
        }
        self.path = path.count > 1 ? String(path) : BrokerAddress.doorPath
    }

    /// The address, by TLS unless it says otherwise.
    ///
    /// - Parameters:
    ///   - caFile: certificates to trust; `nil` for the system's.
    ///   - door: the web door that was named beside it; on this machine without TLS where the door is.
    func endpoint(trusting caFile: String?, besides door: DoorAddress? = nil) -> LocalEndpoint {
        let transport: LocalEndpoint.Transport =
            switch scheme {
            case .mqtt: .plain
            case nil where door?.isPlain == true && Loopback.has(host): .plain
            case .mqtts, nil: .tls(caFile: caFile)
            case .ws: .webSocket(path: path, isPlain: true, caFile: nil)
            case .wss: .webSocket(path: path, isPlain: false, caFile: caFile)
            }
        return LocalEndpoint(host: host, mqttPort: port, transport: transport)
    }

    /// The web door whose WebSocket it is, if it is one at its usual path: files go by it, too.
    var door: String? {
        guard let scheme, scheme.isWebSocket, path == BrokerAddress.doorPath else { return nil }
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(scheme.isPlain ? "http" : "https")://\(host):\(port)"
    }
}
