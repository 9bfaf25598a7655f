/// The event `device.added`: one of the user's own devices was made, or made anew under the name of a revoked one.
public struct DeviceAddition: AddressedEvent, GatewayObject {
    package static let names = ["device.added"]
    package var topic: Topic { .user(device.user, .events) }
    package var received: ReceivedEvent { .deviceAdded(self) }

    public let device: DeviceAddress
    public let at: Timestamp

    public init(device: DeviceAddress, at: Timestamp) { (self.device, self.at) = (device, at) }

    package init<Pass: FieldPass<DeviceAddition>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.part(\.device)
        at = try pass.required("at", \.at)
    }
}

/// The event `device.revoked`: one of the user's own devices has lost its rights.
public struct DeviceRevocation: AddressedEvent, GatewayObject {
    package static let names = ["device.revoked"]
    package var topic: Topic { .user(device.user, .events) }
    package var received: ReceivedEvent { .deviceRevoked(self) }

    public let device: DeviceAddress
    public let at: Timestamp

    public init(device: DeviceAddress, at: Timestamp) { (self.device, self.at) = (device, at) }

    package init<Pass: FieldPass<DeviceRevocation>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.part(\.device)
        at = try pass.required("at", \.at)
    }
}

/// The event `device.renewed`: a live device of the user's own has a new token.
public struct DeviceRenewal: AddressedEvent, GatewayObject {
    package static let names = ["device.renewed"]
    package var topic: Topic { .user(device.user, .events) }

    public let device: DeviceAddress
    /// The expiry of the new token.
    public let expiresAt: Timestamp
    public let at: Timestamp

    public init(device: DeviceAddress, expiresAt: Timestamp, at: Timestamp) {
        (self.device, self.expiresAt, self.at) = (device, expiresAt, at)
    }

    package init<Pass: FieldPass<DeviceRenewal>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.part(\.device)
        expiresAt = try pass.required("expires_at", \.expiresAt)
        at = try pass.required("at", \.at)
    }
}

/// The event `link.approved`, for the device that it names.
extension LinkApproval: PersonalEvent {
    package static let names = ["link.approved"]
    package var received: ReceivedEvent { .linkApproved(self) }
}

/// The event `keys.changed`: `keys/get` has news of a user, who is oneself or shares a conversation.
public struct KeysChange: PersonalEvent, GatewayObject {
    package static let names = ["keys.changed"]
    package var received: ReceivedEvent { .keysChanged(user) }

    public let user: UserID

    public init(user: UserID) { self.user = user }

    package init<Pass: FieldPass<KeysChange>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
    }
}
