import Foundation

/// The settings of a `mosquitto.conf` that the gateway looks at.
struct BrokerConfiguration {
    /// The values of every option in order, by its name.
    private let options: [String: [String]]
    let listeners: [Listener]

    init(_ text: String) {
        var options: [String: [String]] = [:]
        var listeners: [Listener] = []
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard let name = parts.first.map(String.init) else { continue }
            let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            options[name, default: []].append(value)
            switch name {
            case "listener", "port": listeners.append(Listener(value))
            case "bind_address": listeners.append(Listener("1883 " + value))
            default:
                guard let last = listeners.indices.last else { continue }
                listeners[last].set(name, to: value)
            }
        }
        self.options = options
        self.listeners = listeners
    }

    /// The value of an option that is in force: the last.
    func value(of option: String) -> String? { options[option]?.last }

    func number(_ option: String) -> Int? { value(of: option).flatMap { Int($0) } }
}

extension BrokerConfiguration {
    /// A `listener` and the options below it.
    struct Listener {
        /// 0 for a Unix socket.
        let port: String
        /// The address that it is bound to or, with port 0, the path of its socket; `nil` for every address.
        let address: String?
        private(set) var isWebSocket = false
        private var hasSocketDomain = false
        private var interface: String?

        fileprivate init(_ value: String) {
            let parts = value.split(separator: " ", maxSplits: 1)
            port = parts.first.map(String.init) ?? ""
            address = parts.count > 1 ? String(parts[1]) : nil
        }

        fileprivate mutating func set(_ option: String, to value: String) {
            switch option {
            case "protocol": isWebSocket = value == "websockets"
            case "socket_domain": hasSocketDomain = true
            case "bind_interface": interface = value
            default: break
            }
        }

        var isUnixSocket: Bool { port == "0" && address != nil }

        /// Whether this machine alone can reach it. A WebSocket listener of Mosquitto 2.0.11 without `socket_domain`
        /// ignores its address and listens on every interface.
        var isLocal: Bool {
            if isUnixSocket { return true }
            if isWebSocket, !hasSocketDomain { return false }
            if interface == "lo" { return true }
            guard let address else { return false }
            return address == "localhost" || address == "::1" || address.hasPrefix("127.")
        }
    }
}
