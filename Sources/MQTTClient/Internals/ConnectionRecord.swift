/// What the callbacks of one handle have copied out of the library, until the connection's owner takes it.
///
/// Only the owner's thread touches it: the library calls back within our own calls to it.
final class ConnectionRecord {
    var verdict: ConnectVerdict?
    var inbound = InboundBatch()
    /// ``MQTTConfiguration/longestPayload``
    var longestPayload = Int.max
    /// ``MQTTConfiguration/beginningOfLonger``
    var beginningOfLonger = 0
    var acknowledgements: [Acknowledgement] = []
    var subscriptionResults: [SubscriptionResult] = []
    /// Subscriptions without an answer. An answer to anything else is not kept: it would have no bound.
    var pendingSubscriptions: Set<PacketIdentifier> = []
    /// The first code that the library gave for the end of the connection; it may call a second time, with less.
    var disconnectCode: Int32?
    /// Callbacks so far: whether a read found anything.
    var events = 0
    /// QoS 0 packets that have been written and are not yet struck off.
    var writtenCount = 0
    /// Set while the library reads. Its publish callback means an acknowledgement then; while it writes, that a QoS 0
    /// packet has been written.
    var isReading = false
}

/// The broker's answer to CONNECT.
struct ConnectVerdict {
    var reason: ReasonCode
    var session: Session
}

/// What the broker said of the session when it accepted the connection (CONNACK, MQTT 5 §3.2).
package struct Session: Hashable, Sendable {
    /// Whether the broker had kept the state of an earlier connection.
    package let isPresent: Bool
    /// How many of our QoS 1 publishes it allows to be unacknowledged, if it said so.
    package let receiveMaximum: UInt16?
    /// The largest packet, in bytes, that it accepts, if it said so.
    package let maximumPacketSize: UInt32?
    /// Seconds of keep alive that it demands in place of ours.
    package let serverKeepAliveSeconds: UInt16?
    /// Seconds for which it keeps the session, where that differs from what was asked.
    package let sessionExpiry: UInt32?
}
