import NIOCore
import ParleyProtocol

/// The broker's address, and the limits of the door's connections.
package struct BrokerConfiguration: Sendable {
    package var broker: BrokerAddress
    /// Part of all client ids of this door: a restarted door takes over its own connections, and several doors have
    /// different names.
    package var name: ConnectionName

    /// Until an unused connection is closed.
    package var idleTime: TimeAmount = .seconds(60)
    /// How long the broker's refusal of a token is remembered.
    package var refusalTime: TimeAmount = .seconds(5)
    /// Until a request is answered `unavailable`.
    package var patience: TimeAmount = .seconds(15)
    /// Until a request without a reply is repeated; each later wait is twice as long.
    package var firstRepeat: TimeAmount = .seconds(2)
    /// From the TCP connection to the CONNACK.
    package var connectTime: TimeAmount = .seconds(5)
    /// Until a connection that failed is tried again; each later wait is twice as long.
    package var firstPause: TimeAmount = .milliseconds(50)
    package var longestPause: TimeAmount = .seconds(2)
    /// The silence after which the broker is pinged. After twice this the connection is given up, by both sides.
    package var keepAlive: TimeAmount = .seconds(60)
    /// Requests of one token without a reply.
    package var requestsAtOnce = 64
    /// Tokens in use at once.
    package var sessions = 20_000

    package init(_ broker: BrokerAddress, name: ConnectionName) { (self.broker, self.name) = (broker, name) }
}

/// Where the broker listens for MQTT.
package enum BrokerAddress: Hashable, Sendable {
    case tcp(host: String, port: Int)
    /// For the door's own device only: the broker treats every connection on this socket as local.
    case unixSocket(path: String)

    /// From `HOST:PORT`; an address of IPv6 stands in brackets.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: String(host), port: Int(port))
    }

    func resolved() throws -> SocketAddress {
        switch self {
        case .tcp(let host, let port): try .makeAddressResolvingHost(host, port: port)
        case .unixSocket(let path): try SocketAddress(unixDomainSocketPath: path)
        }
    }
}

/// The `x` of the client ids `uid:did:x` (protocol §1).
package struct ConnectionName: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init?(_ text: String) {
        guard DeviceID(text) != nil, text.utf8.count <= 16 else { return nil }
        description = text
    }
}
