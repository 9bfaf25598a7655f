import MQTTClient
import ParleyClient

extension ConnectionError {
    init(_ error: MQTTError) {
        switch error {
        case .refused(let reason) where reason.isAuthorizationFailure: self = .notAuthorized
        case .refused(.serverUnavailable), .closedWithoutVerdict: self = .notReady
        case .disconnected(.sessionTakenOver): self = .takenOver
        case .unreachable(let errno): self = .unreachable(errno: errno)
        case .nameNotResolved: self = .nameNotResolved
        case .tls: self = .notTrusted
        case .answeredInTLS: self = .tlsRequired
        case .timedOut: self = .timedOut
        case .disconnected, .connectionLost, .keepAliveExpired, .protocolViolation: self = .lost
        case .refused, .invalidConfiguration, .notConnected, .packetTooLarge, .sendQuotaExhausted, .sendBufferFull,
            .invalidTopic, .invalidRange, .propertiesNotSupported, .outOfMemory, .library:
            self = .other(error)
        }
    }
}

extension TransportError {
    init(_ error: MQTTError) {
        switch error {
        case .invalidTopic: self = .invalidTopic
        case .packetTooLarge: self = .tooLarge
        case .sendBufferFull, .sendQuotaExhausted: self = .noRoom
        case .refused, .unreachable, .nameNotResolved, .tls, .answeredInTLS, .closedWithoutVerdict, .timedOut,
            .invalidConfiguration, .disconnected, .connectionLost, .keepAliveExpired, .protocolViolation,
            .notConnected, .invalidRange, .propertiesNotSupported, .outOfMemory, .library:
            self = .lost(ConnectionError(error))
        }
    }
}
