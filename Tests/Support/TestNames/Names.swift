import ParleyProtocol

/// `user/device`
package func device(_ user: UserID, _ device: DeviceID) -> DeviceAddress { DeviceAddress(user: user, device: device) }

/// So many milliseconds after a morning in January 2026.
package func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_768_467_600_000 + milliseconds) }
package func at(_ duration: Duration) -> Timestamp { at(0).advanced(by: duration) }
