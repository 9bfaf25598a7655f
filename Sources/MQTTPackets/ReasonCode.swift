/// What became of a request, or why a connection ended (MQTT 5 §2.4).
package struct ReasonCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package var isFailure: Bool { rawValue >= 0x80 }

    package static let success = ReasonCode(rawValue: 0)
    /// A publish was taken, and nobody has subscribed to its topic. It is no failure.
    package static let noMatchingSubscribers = ReasonCode(rawValue: 0x10)
    package static let clientIdentifierNotValid = ReasonCode(rawValue: 0x85)
    package static let badUserNameOrPassword = ReasonCode(rawValue: 0x86)
    package static let notAuthorized = ReasonCode(rawValue: 0x87)
    package static let serverUnavailable = ReasonCode(rawValue: 0x88)
    package static let serverBusy = ReasonCode(rawValue: 0x89)
    package static let sessionTakenOver = ReasonCode(rawValue: 0x8E)
    package static let quotaExceeded = ReasonCode(rawValue: 0x97)
}
