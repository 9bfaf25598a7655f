import ParleyProtocol

extension SealedContent {
    /// Checks that the content key is sealed for the devices that there are, and for their published keys where it says
    /// for which (protocol §5, "recipient key", and §6).
    ///
    /// - Parameter keyed: the devices of all members that have published keys, the sending one left out; sorted.
    /// - Throws: `stale_devices`.
    func checkRecipients(_ keyed: [KeyedDevice]) throws(Rejection) {
        guard let recipientKeys else { return try checkRecipient(keyed) }
        let named = Dictionary(recipientKeys.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        let missing = keyed.filter { device in !(named[device.address]?.fits(device) ?? false) }.map(\.address)
        let known = Dictionary(keyed.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        let extra = recipientKeys.filter { key in !(known[key.address].map(key.fits) ?? false) }.map(\.address)
        if !missing.isEmpty || !extra.isEmpty { throw .staleDevices(missing: missing, extra: extra) }
    }

    /// Without a list of recipients there is one device at most that could open it.
    private func checkRecipient(_ keyed: [KeyedDevice]) throws(Rejection) {
        if keyed.count > 1 { throw .staleDevices(missing: keyed.map(\.address), extra: []) }
        guard let recipientKeyID, let device = keyed.first, device.keyID != recipientKeyID else { return }
        throw .staleDevices(missing: [device.address], extra: [device.address])
    }
}

extension RecipientKey {
    /// Whether it is sealed for the key that the device has published, as far as it says.
    fileprivate func fits(_ device: KeyedDevice) -> Bool { keyID.map { $0 == device.keyID } ?? true }
}

extension Rejection {
    fileprivate static func staleDevices(missing: [DeviceAddress], extra: [DeviceAddress]) -> Rejection {
        Rejection(
            .staleDevices, "The devices of the members, or their keys, are others than those it is sealed for.",
            devices: Rejection.DeviceDifference(missing: missing, extra: extra))
    }
}
