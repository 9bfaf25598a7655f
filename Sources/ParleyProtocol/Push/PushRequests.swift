/// `push/register`: this target reaches the calling device from now on, and no other does. The device that had the same
/// token, or the same endpoint and secret, loses its registration and hears `push.ended`.
public struct RegisterPush: Command {
    public static let operation = Operation(validatedArea: "push", verb: "register")
    public typealias Reply = PushRegistered

    public let target: PushTarget

    public init(_ target: PushTarget) { self.target = target }

    package init<Pass: FieldPass<RegisterPush>>(fields pass: inout Pass) throws(Pass.Failure) {
        target = try pass.part(\.target)
    }
}

/// `push/unregister`: no push service reaches the calling device any more.
public struct UnregisterPush: Command, EmptyRequest {
    public static let operation = Operation(validatedArea: "push", verb: "unregister")
    public typealias Reply = PushRegistered

    public init() {}
}

/// The `data` of an accepted `push/register` or `push/unregister`.
public struct PushRegistered: GatewayObject {
    /// `nil` if the device is no longer registered.
    public let registeredAt: Timestamp?

    public init(registeredAt: Timestamp?) { self.registeredAt = registeredAt }

    package init<Pass: FieldPass<PushRegistered>>(fields pass: inout Pass) throws(Pass.Failure) {
        registeredAt = try pass.optional("registered_at", \.registeredAt)
    }
}
