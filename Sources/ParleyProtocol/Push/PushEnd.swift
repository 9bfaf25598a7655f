/// Why a device is not registered with a push service any more although it has not asked for that.
public enum PushEndReason: String, Hashable, Sendable, CaseIterable {
    /// Another device has registered the same token, or the same endpoint with the same secret.
    case taken
    /// The push service knows the device no more, or not as one of this app.
    case gone
}

/// The event `push.ended`: a device of the user's own has lost its registration, and is notified of nothing until it
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

/// What `devices/list` shows of a device's registration: neither its address nor a secret.
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
