import NIOCore
import ParleyProtocol

/// How the door's connections reach the broker, and what bounds them.
package struct LinkConfiguration: Sendable {
    package var host = "127.0.0.1"
    package var port: Int
    /// The `x` of the client ids `uid:did:x` (protocol §1): the same for all connections of this door, so that one that
    /// is started again takes over from itself, and another for each of several doors.
    package var name: String

    /// A connection that nobody uses is closed after this.
    package var idleTime: TimeAmount = .seconds(60)
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

    package init(port: Int, name: String) { (self.port, self.name) = (port, name) }
}
