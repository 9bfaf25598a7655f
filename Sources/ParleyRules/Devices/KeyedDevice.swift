import ParleyProtocol

/// A device that has published keys, as messages are sealed for it.
public struct KeyedDevice: Hashable, Sendable {
    public let address: DeviceAddress
    /// Of its identity key.
    public let keyID: KeyID

    public init(address: DeviceAddress, keyID: KeyID) {
        self.address = address
        self.keyID = keyID
    }
}
