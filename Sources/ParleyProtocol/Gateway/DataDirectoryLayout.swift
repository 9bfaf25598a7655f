/// The paths in the gateway's data directory that other programs use too, relative to it.
package enum DataDirectoryLayout {
    /// The broker's Unix socket, through which the gateway and its operator sign in.
    package static let brokerSocket = "run/broker.sock"
    /// The longest path of a Unix socket on Linux, in bytes.
    package static let longestSocketPath = 107
    /// The gateway's address for devices.
    package static let endpoint = "endpoint.json"
    package static let settings = "parleyd.json"
    /// Held by the gateway while it runs.
    package static let lock = "parleyd.lock"
    package static let database = "parley.db"
    /// The door's configuration, which names the certificate that devices are shown.
    package static let doorConfiguration = "haproxy.cfg"
    /// Where `parleyd backup --keep` and its timer put backups.
    package static let backups = "backups"
    package static let devices = "devices"
    /// In a device's directory.
    package static let credentials = "credentials.json"

    package static func directory(of device: DeviceAddress) -> String { "\(devices)/\(device.user)/\(device.device)" }
}

extension DeviceAddress {
    /// The operator's device, which the gateway makes. Of several gateways each has its own: `console-2`.
    package static let operatorConsole = DeviceAddress(
        user: UserID(validated: "operator"), device: DeviceID(validated: "console"))
    /// Whether it is the operator's device of a gateway.
    package var isOperatorConsole: Bool { user == DeviceAddress.operatorConsole.user }

    /// The device of all web doors, which the gateway makes. Of several gateways each has its own: `door-2`.
    package static let webDoor = DeviceAddress(user: UserID(validated: "web"), device: DeviceID(validated: "door"))
    /// Whether it is the web doors' device of a gateway.
    package var isWebDoor: Bool {
        user == DeviceAddress.webDoor.user
            && (device == DeviceAddress.webDoor.device || device.text.hasPrefix("\(DeviceAddress.webDoor.device)-"))
    }
}
