import ParleyProtocol

/// One of the user's devices, as this device knows it.
public struct OwnDevice: Hashable, Sendable {
    public enum Status: Hashable, Sendable {
        /// This device.
        case current
        /// Certified by the user's account key: messages are sealed for it.
        case certified
        /// Its keys are not certified by this account key: nothing is sealed for it.
        case notCertified
        case withoutKeys
    }

    public let summary: DeviceSummary
    /// As this device has verified it itself.
    public let status: Status
}

extension OwnDevice {
    init(_ summary: DeviceSummary, _ book: PeerKeyBook) {
        let address = DeviceAddress(user: book.owner.user, device: summary.device)
        let recipients = book.recipients(of: [book.owner.user], besides: book.owner)
        let status: Status =
            if address == book.owner {
                .current
            } else if recipients.sealed.contains(where: { $0.device == address }) {
                .certified
            } else if recipients.leftOut.contains(where: { $0.device == address }) || summary.hasKeys {
                .notCertified
            } else {
                .withoutKeys
            }
        self.init(summary: summary, status: status)
    }
}
