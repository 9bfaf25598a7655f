import ParleyProtocol

/// A device of the user's own, as this one knows it.
public struct OwnDevice: Hashable, Sendable {
    public enum Status: Hashable, Sendable {
        /// The one that asks.
        case current
        /// The user's account key has certified its keys: what is sent is sealed for it.
        case certified
        /// It has keys that nobody has certified, or not by this account key: nothing is sealed for it.
        case notCertified
        /// It has published no keys.
        case withoutKeys
    }

    public let summary: DeviceSummary
    /// By what this device has checked itself, whatever the gateway says.
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
