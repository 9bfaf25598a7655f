/// `admin/test-push`: sends a notification of the type `test` to every registered device of a user, connected or not.
public struct TestPush: Command, UserRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "test-push")
    package static let askers = Askers.operators
    public typealias Reply = TestedPushes

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// The `data` of an accepted `admin/test-push`; `admin/trace` shows each by its id.
public struct TestedPushes: GatewayObject {
    public let devices: [TestedDevice]

    public init(devices: [TestedDevice]) { self.devices = devices }

    package init<Pass: FieldPass<TestedPushes>>(fields pass: inout Pass) throws(Pass.Failure) {
        devices = try pass.required("devices", \.devices, as: .objects())
    }
}

/// A device that receives a notification of the type `test`.
public struct TestedDevice: GatewayObject {
    public let device: DeviceID
    public let provider: Named<PushProvider>
    /// Of the notification.
    public let id: NotificationID

    public init(device: DeviceID, provider: Named<PushProvider>, id: NotificationID) {
        (self.device, self.provider, self.id) = (device, provider, id)
    }

    package init<Pass: FieldPass<TestedDevice>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.required("device_id", \.device)
        provider = try pass.required("provider", \.provider)
        id = try pass.required("id", \.id)
    }
}
