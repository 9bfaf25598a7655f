/// Where a broker listens.
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

/// When a received QoS 1 message is acknowledged to the broker.
package enum AcknowledgementPolicy: Hashable, Sendable {
    /// At the end of the ``MQTTConnection/readBatch(into:limit:)`` that read it.
    case immediate
    /// By the next ``MQTTConnection/flush()``: what is not flushed is sent again in the next session.
    case held
}

/// What the broker publishes for a client that vanishes (MQTT 5 §3.1.2.5).
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

/// All that one connection to a broker needs to know.
///
/// Values that a version cannot express (session expiry, receive maximum and packet size in 3.1.1) are left out there.
package struct MQTTConfiguration: Sendable {
    package var endpoint: MQTTEndpoint
    package var version: MQTTVersion = .v5
    /// Empty lets the broker choose one, with a clean start only.
    package var clientID: String
    package var username: String?
    package var password: Secret?
    /// Whether an earlier session of this client id is thrown away (MQTT 5 §3.1.2.4).
    package var cleanStart = true
    /// Whole seconds for which the broker keeps the session after the connection has ended; zero ends it with the
    /// connection, and ``endlessSession`` keeps it for ever (MQTT 5 §3.1.2.11.2).
    package var sessionExpiry: Duration = .zero
    package static let endlessSession = Duration.seconds(UInt32.max)
    /// Whole seconds, 5 to 65,535, or zero for never.
    package var keepAlive: Duration = .seconds(60)
    /// How many QoS 1 messages the broker may have unacknowledged towards us: the bound of a held batch.
    package var receiveMaximum: UInt16 = 100
    /// How many of our QoS 1 publishes may be unacknowledged; the broker's own receive maximum counts if it is lower.
    ///
    /// The library walks all of them at each publish and each acknowledgement: up to 150 that is not felt, with 1000 it
    /// doubles the cost of a publish.
    package var sendMaximum: UInt16 = 100
    /// The largest packet, in bytes, that the broker may send; `nil` declares no limit (MQTT 5 §3.1.2.11.4).
    ///
    /// Declare one only where nothing larger can come: Mosquitto drops what is larger and never gives back its place in
    /// ``receiveMaximum``, so that after as many drops nothing is delivered any more (measured with 2.0.11).
    package var maximumPacketSize: UInt32?
    /// The longest payload, in bytes, that is copied out of the library; of a longer one
    /// ``InboundMessage/payloadLength`` is known, and its beginning.
    package var longestPayload = Int.max
    /// How much of a longer payload is copied, in bytes.
    package var beginningOfLonger = 0
    /// Bytes of QoS 0 packets that may wait to be written before ``MQTTConnection/publish(_:in:)`` refuses more with
    /// ``MQTTError/sendBufferFull``. No quota bounds them.
    package var maximumUnsentBytes = 8 << 20
    package var will: Will?
    package var acknowledgement: AcknowledgementPolicy = .immediate

    package init(endpoint: MQTTEndpoint, clientID: String) { (self.endpoint, self.clientID) = (endpoint, clientID) }
}
