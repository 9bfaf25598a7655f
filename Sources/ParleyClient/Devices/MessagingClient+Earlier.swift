import ParleyCrypto
import ParleyProtocol

// What a new device finds in history that nobody sealed for it.

extension MessagingClient {
    /// Whether a message that cannot be opened was sent before this device was linked, so that only the user's older
    /// devices have it. It is no sign of forgery; an app shows a run of such messages as one line.
    ///
    /// A message for several devices names them. One for a single device names none, and differs from a forged one only
    /// by its time, which is the gateway's word: a gateway could as well leave the message out. Once the device has
    /// rotated its keys it does not know any more when it was linked, and a message for a single device is then none of
    /// these.
    public func precedesThisDevice(_ message: ChatMessage) -> Bool {
        context.keyring.own.isPreceded(by: message)
    }
}

extension DeviceKeySet {
    /// When this device was linked, or made the user's account key; `nil` for one that is not linked, or has rotated
    /// its keys since.
    var linkedAt: Timestamp? { retired.isEmpty ? status.certificate?.issuedAt : nil }

    /// As ``MessagingClient/precedesThisDevice(_:)``.
    fileprivate func isPreceded(by message: ChatMessage) -> Bool {
        guard case .unreadable(let failure) = message.content else { return false }
        switch failure {
        case .notForThisDevice:
            guard let start = linkedAt else { return true }
            return message.createdAt < start
        case .notAuthentic:
            // Before it was linked nothing was sealed for it at all.
            guard accountKey != nil else { return true }
            return linkedAt.map { message.createdAt < $0 } ?? false
        case .unknownSuite, .malformed, .leftOut, .senderKeysUnknown, .senderKeyChanged, .senderNotCertified, .weakKey,
            .headerMismatch, .badContent, .replayed, .unavailable:
            return false
        }
    }
}
