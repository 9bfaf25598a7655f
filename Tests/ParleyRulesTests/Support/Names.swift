import ParleyProtocol
import ParleyRules

/// Ids and times that tests write as literals.
extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(validated: text) }
}

extension DeviceID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(validated: text) }
}

/// `user/device`
func device(_ user: UserID, _ device: DeviceID) -> DeviceAddress { DeviceAddress(user: user, device: device) }

/// So many milliseconds after a morning in January 2026.
func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_768_467_600_000 + milliseconds) }

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
