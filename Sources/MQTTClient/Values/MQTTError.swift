/// The reason why a connection was not made, was lost, or refused a request.
package enum MQTTError: Error, Hashable, Sendable {
    // Connecting.

    /// The broker answered CONNECT with a refusal.
    case refused(ReasonCode)
    /// Nothing listens there, or there is no route; `errno` tells which.
    case unreachable(errno: Int32)
    /// The host's name has no address; `code` is that of `getaddrinfo`.
    case nameNotResolved(code: Int32)
    /// The TLS handshake failed: most often a certificate that is not trusted, or for another name, or no TLS at all.
    case tls
    /// The server answered plain MQTT with TLS.
    case answeredInTLS
    /// The broker closed the connection without answering CONNECT: it may do so while it is not ready. Try again.
    case closedWithoutVerdict
    case timedOut
    /// The configuration cannot be put in a CONNECT packet.
    case invalidConfiguration(ConfigurationFault)

    // Losing the connection.

    /// The broker sent DISCONNECT.
    case disconnected(ReasonCode)
    /// The connection broke or was closed silently. `errno` is 0 for an orderly close.
    case connectionLost(errno: Int32)
    case keepAliveExpired
    /// The broker sent something that is not MQTT.
    case protocolViolation
    /// ``MQTTConnection/disconnect()`` was called, or ``MQTTConnection/connect(timeout:)`` was not.
    case notConnected

    // Publishing and subscribing.

    /// The broker takes fewer bytes. Nothing was sent.
    case packetTooLarge(bytes: Int, maximum: Int)
    /// The quota of unacknowledged QoS 1 publishes is used up. Nothing was sent.
    case sendQuotaExhausted
    /// More unwritten QoS 0 bytes than ``MQTTConfiguration/maximumUnsentBytes``. Nothing was sent.
    case sendBufferFull
    /// The topic, topic filter or response topic is empty, too long, not UTF-8, or holds a NUL or a wildcard
    /// out of place.
    case invalidTopic
    /// A range lies outside the bytes it belongs to, or correlation data has more than 65,535 bytes.
    case invalidRange
    /// MQTT 3.1.1 has no properties.
    case propertiesNotSupported

    case outOfMemory
    /// Any other failure of libmosquitto, with its code (`enum mosq_err_t`).
    case library(code: Int32)

    /// Whether another attempt with these credentials is pointless.
    package var isAuthorizationFailure: Bool {
        if case .refused(let reason) = self { reason.isAuthorizationFailure } else { false }
    }
}

/// The invalid part of an ``MQTTConfiguration``.
package enum ConfigurationFault: Hashable, Sendable {
    /// Empty without a clean start, not UTF-8, or with a NUL.
    case clientID
    case credentials
    case socketPath
    case host
    /// The file of trusted certificates cannot be read.
    case caFile
    /// Between 1 and 4 seconds.
    case keepAlive
    case receiveMaximum
    case sendMaximum
    case will
}
