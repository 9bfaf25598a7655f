/// The broker's verdict on a packet (MQTT 5 §2.4). 3.1.1 return codes are translated to those of MQTT 5.
package struct ReasonCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// From 0x80 on.
    package var isFailure: Bool { rawValue >= 0x80 }

    package static let success = ReasonCode(rawValue: 0x00)
    package static let noMatchingSubscribers = ReasonCode(rawValue: 0x10)
    package static let unspecified = ReasonCode(rawValue: 0x80)
    package static let unsupportedProtocolVersion = ReasonCode(rawValue: 0x84)
    package static let clientIdentifierNotValid = ReasonCode(rawValue: 0x85)
    package static let badUserNameOrPassword = ReasonCode(rawValue: 0x86)
    package static let notAuthorized = ReasonCode(rawValue: 0x87)
    package static let serverUnavailable = ReasonCode(rawValue: 0x88)
    package static let banned = ReasonCode(rawValue: 0x8A)
    package static let serverShuttingDown = ReasonCode(rawValue: 0x8B)
    package static let badAuthenticationMethod = ReasonCode(rawValue: 0x8C)
    package static let sessionTakenOver = ReasonCode(rawValue: 0x8E)
    package static let packetTooLarge = ReasonCode(rawValue: 0x95)
    package static let quotaExceeded = ReasonCode(rawValue: 0x97)
    package static let administrativeAction = ReasonCode(rawValue: 0x98)

    /// Whether another attempt with the same credentials is pointless.
    package var isAuthorizationFailure: Bool {
        self == .badUserNameOrPassword || self == .notAuthorized || self == .banned || self == .badAuthenticationMethod
    }

    /// The MQTT 5 equal of a 3.1.1 CONNACK return code (MQTT 3.1.1 §3.2.2.3).
    init(connectReturnCode code: UInt8) {
        switch code {
        case 0: self = .success
        case 1: self = .unsupportedProtocolVersion
        case 2: self = .clientIdentifierNotValid
        case 3: self = .serverUnavailable
        case 4: self = .badUserNameOrPassword
        case 5: self = .notAuthorized
        default: self = .unspecified
        }
    }
}

extension ReasonCode: CustomStringConvertible {
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return rawValue < 0x10 ? "0x0\(digits)" : "0x\(digits)"
    }
}
