import Platform

/// Why there is no connection to the gateway.
public enum ConnectionError: Error, Sendable, CustomStringConvertible {
    /// The gateway rejects the credentials: the token has expired, was revoked or replaced. Only other credentials can
    /// help.
    case notAuthorized
    /// The broker closed without a CONNACK, as it does while the gateway starts. Trying again helps.
    case notReady
    /// Nothing listens there, or there is no route. `errno` is the system's reason.
    case unreachable(errno: Int32)
    case nameNotResolved
    /// The server's certificate is not trusted, or is for another name.
    case notTrusted
    /// The port speaks TLS, and plain MQTT was tried.
    case tlsRequired
    /// The port speaks plain MQTT, and TLS was tried.
    case tlsNotSpoken
    case timedOut
    /// An established connection broke, or the broker ended it.
    case lost
    /// Another connection signed in with the same client id.
    case takenOver
    /// The source of credentials failed with this error.
    case noCredentials(any Error)
    /// Any other failure, of the configuration or the system.
    case other(any Error)

    /// Whether trying again with the same credentials is pointless.
    public var isFinal: Bool {
        switch self {
        case .notAuthorized, .notTrusted, .tlsRequired, .tlsNotSpoken, .takenOver, .other: true
        case .notReady, .unreachable, .nameNotResolved, .timedOut, .lost, .noCredentials: false
        }
    }

    public var description: String {
        switch self {
        case .notAuthorized: "the gateway does not accept the credentials"
        case .notReady: "the gateway is not ready"
        case .unreachable(let errno): "the gateway cannot be reached: \(SystemError.reason(errno))"
        case .nameNotResolved: "the gateway's name has no address"
        case .notTrusted: "the gateway's certificate is not trusted"
        case .tlsRequired: "the gateway speaks TLS, and plain MQTT was tried"
        case .tlsNotSpoken: "the gateway speaks plain MQTT, and TLS was tried"
        case .timedOut: "the gateway does not answer"
        case .lost: "the connection was lost"
        case .takenOver: "another connection with the same client id took over"
        case .noCredentials(let error): "\(error)"
        case .other(let error): "no connection: \(error)"
        }
    }
}
