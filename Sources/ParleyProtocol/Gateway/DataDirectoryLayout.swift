/// What the gateway and the programs beside it share of the gateway's data directory: paths below it.
package enum DataDirectoryLayout {
    /// The broker's Unix socket, by which the gateway and its operator sign in.
    package static let brokerSocket = "run/broker.sock"
    /// The longest path of a Unix socket on Linux, in bytes.
    package static let longestSocketPath = 107
    /// Where devices find the gateway.
    package static let endpoint = "endpoint.json"
    package static let devices = "devices"
    /// In the directory of a device.
    package static let credentials = "credentials.json"

    /// The directory of what is kept for one device.
    package static func directory(of device: DeviceAddress) -> String { "\(devices)/\(device.user)/\(device.device)" }
}

extension DeviceAddress {
    /// The device that the gateway makes for its operator.
    package static let operatorConsole = DeviceAddress(
        user: UserID(validated: "operator"), device: DeviceID(validated: "console"))
}
