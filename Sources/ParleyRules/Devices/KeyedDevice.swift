import ParleyProtocol

/// A recipient device with published keys.
package struct KeyedDevice: Hashable, Sendable {
    package let address: DeviceAddress
    /// Of its identity key.
    package let keyID: KeyID

    package init(address: DeviceAddress, keyID: KeyID) { (self.address, self.keyID) = (address, keyID) }
}
