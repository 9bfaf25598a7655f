import ParleyProtocol

/// Decides `devices/revoke` and `admin/revoke-device` (protocol §5).
package enum RevokeDeviceRule {
    /// A device that revokes one of its own user.
    package struct Caller: Sendable {
        package let address: DeviceAddress
        /// Whether its user has an account key.
        package let hasAccountKey: Bool
        /// Whether that key has certified the device.
        package let isCertified: Bool

        package init(_ address: DeviceAddress, hasAccountKey: Bool, isCertified: Bool) {
            (self.address, self.hasAccountKey, self.isCertified) = (address, hasAccountKey, isCertified)
        }

        /// A stolen token is enough to sign in, and must not be enough to revoke the certified devices. A user who has
        /// lost these resets the account key, or asks an operator.
        fileprivate func mayRevoke(_ device: DeviceAddress) -> Bool {
            device == address || !hasAccountKey || isCertified
        }
    }

    /// `account/sign-out-everywhere`
    ///
    /// - Throws: `forbidden` to a device that is not linked, if one of the devices is another.
    package static func check(_ devices: [DeviceAddress], by caller: Caller) throws(Rejection) {
        guard devices.allSatisfy(caller.mayRevoke) else { throw notLinked }
    }

    private static let notLinked = Rejection(.forbidden, "Only a linked device may remove another one.")

    /// - Parameters:
    ///   - caller: `nil` for an operator.
    ///   - wasMade: whether the device ever existed.
    ///   - isLive: whether it is not revoked.
    ///   - issued: the live devices whose tokens it has issued, if they are revoked with it.
    /// - Returns: the devices to revoke; none for a repeat.
    /// - Throws: `not_found` for a device that never existed; `forbidden` to a device that is not linked.
    package static func decide(
        _ device: DeviceAddress, by caller: Caller?, wasMade: Bool, isLive: Bool, issued: [DeviceAddress]
    ) throws(Rejection) -> [DeviceAddress] {
        guard wasMade else { throw .deviceNotFound }
        let ended = (isLive ? [device] : []) + issued
        guard ended.isEmpty || caller?.mayRevoke(device) ?? true else {
            throw notLinked
        }
        return ended
    }
}
