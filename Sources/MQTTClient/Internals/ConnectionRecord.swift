/// The data that the callbacks of one handle have copied, until the connection's owner takes them.
///
/// Only the owner's thread uses it: the library calls back within our own calls.
final class ConnectionRecord {
    var verdict: ConnectVerdict?
    var inbound = InboundBatch()
    /// ``MQTTConfiguration/longestPayload``
    var longestPayload = Int.max
    /// ``MQTTConfiguration/beginningOfLonger``
    var beginningOfLonger = 0
    var acknowledgements: [Acknowledgement] = []
    var subscriptionResults: [SubscriptionResult] = []
    /// The unanswered subscriptions. Other answers are dropped, as nothing would bound them.
    var pendingSubscriptions: Set<PacketIdentifier> = []
    /// The first code for the end of the connection; a second call may have a less exact one.
    var disconnectCode: Int32?
    /// The number of callbacks: whether a read found anything.
    var events = 0
    /// The QoS 0 packets that have been written and not yet removed from the count.
    var writtenCount = 0
    /// Whether the library reads: its publish callback then means an acknowledgement, and otherwise a written QoS 0
    /// packet.
    var isReading = false
}

/// The broker's answer to CONNECT.
struct ConnectVerdict {
    var reason: ReasonCode
    var session: Session
}

/// The broker's data on the session in CONNACK (MQTT 5 §3.2).
package struct Session: Hashable, Sendable {
    /// Whether the broker had the session of an earlier connection.
    package let isPresent: Bool
    /// The most unacknowledged QoS 1 publishes that it allows; `nil` if it did not say.
    package let receiveMaximum: UInt16?
    /// The largest packet that it accepts, in bytes; `nil` if it did not say.
    package let maximumPacketSize: UInt32?
    /// The keep alive that it demands in place of ours.
    package let serverKeepAliveSeconds: UInt16?
    /// The session's expiry if it differs from the requested one.
    package let sessionExpiry: UInt32?
}
