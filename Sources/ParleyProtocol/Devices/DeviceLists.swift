/// The `data` of a reply to `keys/get`: the public keys of the user's devices that have published any.
public struct UserKeys: GatewayObject {
    public let user: UserID
    /// Ed25519, 32 bytes; `nil` for a user whose devices know no account keys.
    public let accountKey: [UInt8]?
    public let devices: [DeviceKeys]

    public init(user: UserID, accountKey: [UInt8]? = nil, devices: [DeviceKeys]) {
        (self.user, self.accountKey, self.devices) = (user, accountKey, devices)
    }

    package init<Pass: FieldPass<UserKeys>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        accountKey = try pass.optional("account_key", \.accountKey, as: .base64(32))
        devices = try pass.required("devices", \.devices, as: .objects())
    }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}

/// An item of `devices/list`.
public struct ListedDevice: GatewayObject {
    public let summary: DeviceSummary
    /// Whether this device has asked for the list.
    public let isCurrent: Bool

    public init(summary: DeviceSummary, isCurrent: Bool) { (self.summary, self.isCurrent) = (summary, isCurrent) }

    package init<Pass: FieldPass<ListedDevice>>(fields pass: inout Pass) throws(Pass.Failure) {
        summary = try pass.part(\.summary)
        isCurrent = try pass.required("is_current", \.isCurrent)
    }
}

/// The `data` of a reply to `devices/list` and `devices/revoke`.
public struct DeviceList: GatewayObject {
    public let devices: [ListedDevice]

    public init(devices: [ListedDevice]) { self.devices = devices }

    /// - Parameter current: the device that asks.
    package init(_ devices: [DeviceSummary], askedBy current: DeviceID) {
        self.init(devices: devices.map { ListedDevice(summary: $0, isCurrent: $0.device == current) })
    }

    package init<Pass: FieldPass<DeviceList>>(fields pass: inout Pass) throws(Pass.Failure) {
        devices = try pass.required("devices", \.devices, as: .objects())
    }
}
