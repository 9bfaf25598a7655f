/// The reason why a device has lost its push registration without asking for that.
public enum PushEndReason: String, Hashable, Sendable, CaseIterable {
    /// Another device has registered the same token, or the same endpoint with the same secret.
    case taken
    /// The push service does not know the device any more, or not for this app.
    case gone
}

/// The event `push.ended`: one of the user's own devices has lost its registration, and receives no pushes until it
/// registers again.
public struct PushEnd: AddressedEvent, GatewayObject {
    package static let names = ["push.ended"]
    package var topic: Topic { .user(device.user, .events) }

    public let device: DeviceAddress
    public let provider: Named<PushProvider>
    public let reason: Named<PushEndReason>
    public let at: Timestamp

    public init(
        device: DeviceAddress, provider: Named<PushProvider>, reason: Named<PushEndReason>, at: Timestamp
    ) {
        (self.device, self.provider, self.reason, self.at) = (device, provider, reason, at)
    }

    package init<Pass: FieldPass<PushEnd>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.part(\.device)
        provider = try pass.required("provider", \.provider)
        reason = try pass.required("reason", \.reason)
        at = try pass.required("at", \.at)
    }
}

/// A device's registration in `devices/list`: neither its address nor a secret.
public struct PushRegistrationSummary: GatewayObject {
    public let provider: Named<PushProvider>
    public let registeredAt: Timestamp

    public init(provider: Named<PushProvider>, registeredAt: Timestamp) {
        (self.provider, self.registeredAt) = (provider, registeredAt)
    }

    package init<Pass: FieldPass<PushRegistrationSummary>>(fields pass: inout Pass) throws(Pass.Failure) {
        provider = try pass.required("provider", \.provider)
        registeredAt = try pass.required("registered_at", \.registeredAt)
    }
}
