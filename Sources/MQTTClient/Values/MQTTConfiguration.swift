/// The address of a broker.
package enum MQTTEndpoint: Hashable, Sendable {
    /// A Unix socket. The path has at most 107 bytes.
    case unixSocket(path: String)
    case tcp(host: String, port: UInt16)
    /// TLS with the server's certificate and name verified, against `caFile` (PEM) or else the system's store.
    case tls(host: String, port: UInt16, caFile: String?)
}

package enum MQTTVersion: Hashable, Sendable {
    case v5
    case v311
}

/// The moment at which a received QoS 1 message is acknowledged.
package enum AcknowledgementPolicy: Hashable, Sendable {
    /// At the end of the ``MQTTConnection/readBatch(into:limit:)`` that read it.
    case immediate
    /// By the next ``MQTTConnection/flush()``; a message that is not flushed is sent again in the next session.
    case held
}

/// The message that the broker publishes for a client that vanishes (MQTT 5 §3.1.2.5).
package struct Will: Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var qos: QoS
    package var isRetained: Bool

    package init(
        topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, isRetained: Bool = false
    ) {
        (self.topic, self.payload, self.qos, self.isRetained) = (topic, payload, qos, isRetained)
    }
}

/// The configuration of one connection to a broker.
///
/// Values that a version cannot express (session expiry, receive maximum and packet size in 3.1.1) are left out there.
package struct MQTTConfiguration: Sendable {
    package var endpoint: MQTTEndpoint
    package var version: MQTTVersion = .v5
    /// If empty, the broker chooses one; only with a clean start.
    package var clientID: String
    package var username: String?
    package var password: Secret?
    /// Whether the broker discards an earlier session of this client id (MQTT 5 §3.1.2.4).
    package var cleanStart = true
    /// The time for which the broker keeps the session after the connection, in whole seconds; zero ends it with the
    /// connection, and ``endlessSession`` keeps it for ever (MQTT 5 §3.1.2.11.2).
    package var sessionExpiry: Duration = .zero
    package static let endlessSession = Duration.seconds(UInt32.max)
    /// Whole seconds, 5 to 65,535, or zero for never.
    package var keepAlive: Duration = .seconds(60)
    /// The most unacknowledged QoS 1 messages of the broker: the bound of a held batch.
    package var receiveMaximum: UInt16 = 100
    /// The most unacknowledged QoS 1 publishes of ours, unless the broker's receive maximum is lower.
    ///
    /// The library walks all of them at each publish and each acknowledgement: 150 cost little, and 1000 double the
    /// cost of a publish.
    package var sendMaximum: UInt16 = 100
    /// The largest packet that the broker may send, in bytes; `nil` declares no limit (MQTT 5 §3.1.2.11.4).
    ///
    /// Declare one only if nothing larger can come: Mosquitto drops a larger one and never frees its place in
    /// ``receiveMaximum``, so that delivery stops after as many drops (measured with 2.0.11).
    package var maximumPacketSize: UInt32?
    /// The longest payload that is copied out of the library, in bytes; of a longer one, its length and its beginning.
    package var longestPayload = Int.max
    /// The copied beginning of a longer payload, in bytes.
    package var beginningOfLonger = 0
    /// The most bytes of unwritten QoS 0 packets; ``MQTTConnection/publish(_:in:)`` then throws
    /// ``MQTTError/sendBufferFull``. No quota bounds them.
    package var maximumUnsentBytes = 8 << 20
    package var will: Will?
    package var acknowledgement: AcknowledgementPolicy = .immediate

    package init(endpoint: MQTTEndpoint, clientID: String) { (self.endpoint, self.clientID) = (endpoint, clientID) }
}
