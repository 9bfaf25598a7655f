import ParleyProtocol

/// Decides `devices/revoke` and `admin/revoke-device` (protocol §5).
package enum RevokeDeviceRule {
    package struct Facts: Sendable {
        /// Whether the device was ever made.
        package let wasMade: Bool
        /// Whether it is not revoked.
        package let isLive: Bool
        /// The live devices whose tokens came from this one, if they end with it: whoever had it may have made them for
        /// themselves.
        package let issued: [DeviceAddress]

        package init(wasMade: Bool, isLive: Bool, issued: [DeviceAddress]) {
            self.wasMade = wasMade
            self.isLive = isLive
            self.issued = issued
        }
    }

    /// A device that revokes one of its own user.
    package struct Caller: Sendable {
        package let address: DeviceAddress
        /// Whether its user has an account key.
        package let hasAccountKey: Bool
        /// Whether that key has certified the device.
        package let isCertified: Bool

        package init(_ address: DeviceAddress, hasAccountKey: Bool, isCertified: Bool) {
            self.address = address
            self.hasAccountKey = hasAccountKey
            self.isCertified = isCertified
        }

        /// A stolen token is enough to sign in, and must not be enough to end all devices that the account key has
        /// certified. Who has lost these resets the account key, or asks an operator.
        fileprivate func mayRevoke(_ device: DeviceAddress) -> Bool {
            device == address || !hasAccountKey || isCertified
        }
    }

    /// - Parameter caller: `nil` for an operator.
    /// - Returns: the devices that end.
    /// - Throws: `not_found` for a device that never was; `forbidden` to a device that is not linked. What was revoked
    ///   before is answered as it was.
    package static func decide(
        _ device: DeviceAddress, by caller: Caller?, facts: Facts
    ) throws(Rejection) -> [DeviceAddress] {
        guard facts.wasMade else { throw .deviceNotFound }
        let ended = (facts.isLive ? [device] : []) + facts.issued
        guard ended.isEmpty || caller?.mayRevoke(device) ?? true else {
            throw Rejection(.forbidden, "Only a linked device may remove another one.")
        }
        return ended
    }
}
