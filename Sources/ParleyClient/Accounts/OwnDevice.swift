import ParleyProtocol

/// A device of the user's own, as this one knows it.
public struct OwnDevice: Hashable, Sendable {
    public enum Standing: Hashable, Sendable {
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
    public let standing: Standing
}

extension MessagingClient {
    /// The devices of the user, by name.
    public func ownDevices() async throws(ClientError) -> [OwnDevice] {
        let listed = try await ask { (gateway) async throws(RequestError) in try await gateway.devices() }
        try await fetchKeys(of: device.user)
        return listed.map { OwnDevice(summary: $0.summary, standing: standing(of: $0.summary)) }
            .sorted { $0.summary.device < $1.summary.device }
    }

    private func standing(of summary: DeviceSummary) -> OwnDevice.Standing {
        let address = DeviceAddress(user: device.user, device: summary.device)
        if address == device { return .current }
        let recipients = peers.book.recipients(of: [device.user], besides: device)
        if recipients.sealed.contains(where: { $0.device == address }) { return .certified }
        return recipients.leftOut.contains { $0.device == address } || summary.hasKeys ? .notCertified : .withoutKeys
    }

    /// Ends a device of the user's own: it has no rights any more, and nothing is sealed for it.
    ///
    /// - Throws: ``ClientError/refused(_:)`` with `not_found` for a name that is none of the user's devices.
    public func removeDevice(_ name: DeviceID) async throws(ClientError) {
        _ = try await ask { (gateway) async throws(RequestError) in try await gateway.revoke(name) }
        try await fetchKeys(of: device.user)
    }
}
