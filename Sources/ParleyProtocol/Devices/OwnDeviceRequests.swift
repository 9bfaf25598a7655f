/// `devices/list`
public struct ListDevices: Query, EmptyRequest {
    public static let operation = Operation(validatedArea: "devices", verb: "list")
    public typealias Reply = DeviceList

    public init() {}
}

/// `devices/revoke`: ends one of the caller's own devices.
public struct RevokeDevice: Command, DeviceRequest {
    public static let operation = Operation(validatedArea: "devices", verb: "revoke")
    public typealias Reply = DeviceList

    public let device: DeviceID

    public init(device: DeviceID) { self.device = device }
}

/// `devices/renew`: a new token for the calling device.
public struct RenewDevice: Command {
    public static let operation = Operation(validatedArea: "devices", verb: "renew")
    public typealias Reply = DeviceCredentials

    /// The calling device. Older clients may name it; another device is forbidden.
    public let device: DeviceID?

    public init(device: DeviceID? = nil) { self.device = device }

    package init<Pass: FieldPass<RenewDevice>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.optional("device_id", \.device)
    }
}
