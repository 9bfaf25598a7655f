import ParleyProtocol

extension SealedContent {
    /// Checks that the content key is sealed for the devices that there are (protocol §6).
    ///
    /// - Parameter keyed: the devices of all members that have published keys, the sending one left out; sorted.
    /// - Throws: `stale_devices`.
    func checkRecipients(_ keyed: [DeviceAddress]) throws(Rejection) {
        guard let recipientKeys else {
            if keyed.count > 1 { throw .staleDevices(missing: keyed, extra: []) }
            return
        }
        let named = Set(recipientKeys.map(\.address))
        let missing = keyed.filter { !named.contains($0) }
        let known = Set(keyed)
        let extra = recipientKeys.map(\.address).filter { !known.contains($0) }
        if !missing.isEmpty || !extra.isEmpty { throw .staleDevices(missing: missing, extra: extra) }
    }
}

extension Rejection {
    fileprivate static func staleDevices(missing: [DeviceAddress], extra: [DeviceAddress]) -> Rejection {
        Rejection(
            .staleDevices, "The devices of the members are others than those the message is sealed for.",
            devices: Rejection.DeviceDifference(missing: missing, extra: extra))
    }
}
