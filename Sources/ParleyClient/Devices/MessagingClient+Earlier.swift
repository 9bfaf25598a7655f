import ParleyCrypto
import ParleyProtocol

// Messages from before a device was linked.

extension MessagingClient {
    /// Whether an unreadable message was sent before this device was linked, so that only the user's older devices can
    /// open it. It is no sign of forgery; an app shows a run of such messages as one line.
    ///
    /// A message for several devices names them. One for a single device does not, and differs from a forged one only
    /// by its time, as the gateway says it: a gateway could as well leave the message out. After a rotation of its keys
    /// the device no longer knows when it was linked, and no message for a single device counts.
    public func precedesThisDevice(_ message: ChatMessage) -> Bool {
        context.keyring.own.isPreceded(by: message)
    }
}

extension DeviceKeySet {
    /// When this device was linked, or made the account key; `nil` if it is not linked, or has rotated its keys since.
    var linkedAt: Timestamp? { retired.isEmpty ? status.certificate?.issuedAt : nil }

    /// As ``MessagingClient/precedesThisDevice(_:)``.
    fileprivate func isPreceded(by message: ChatMessage) -> Bool {
        guard case .unreadable(let failure) = message.content else { return false }
        switch failure {
        case .notForThisDevice:
            guard let start = linkedAt else { return true }
            return message.createdAt < start
        case .notAuthentic:
            // Nothing was sealed for a device that is not linked.
            guard accountKey != nil else { return true }
            return linkedAt.map { message.createdAt < $0 } ?? false
        case .unknownSuite, .malformed, .leftOut, .senderKeysUnknown, .senderKeyChanged, .senderNotCertified, .weakKey,
            .headerMismatch, .notBound, .badContent, .replayed, .unavailable:
            return false
        }
    }
}
