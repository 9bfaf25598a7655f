import NIOCore
import ParleyProtocol

/// How the door's connections reach the broker, and what bounds them.
package struct LinkConfiguration: Sendable {
    package var broker: BrokerAddress
    /// Of all connections of this door: one that is started again takes over from itself, and each of several doors has
    /// another.
    package var name: ConnectionName

    /// A connection that nobody uses is closed after this.
    package var idleTime: TimeAmount = .seconds(60)
    /// How long it is remembered that the broker has refused a token.
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
    /// Silence, after which the broker is asked whether it is there. After twice this it is given up, and gives us up.
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
    /// For the door's own device alone: to the broker whoever comes by it is of this machine.
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
