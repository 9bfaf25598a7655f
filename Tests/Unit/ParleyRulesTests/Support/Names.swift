import ParleyProtocol
import ParleyRules

/// The id of some key.
func keyID(_ number: UInt8) -> KeyID {
    guard let id = KeyID([UInt8](repeating: number, count: KeyID.length)) else { preconditionFailure("8 bytes") }
    return id
}

/// A device with a published key.
func keyed(_ address: DeviceAddress, _ key: UInt8 = 1) -> KeyedDevice {
    KeyedDevice(address: address, keyID: keyID(key))
}

/// The rejection that `body` throws; `nil` if it throws none.
func rejection(_ body: () throws(Rejection) -> some Any) -> Rejection? {
    do throws(Rejection) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
