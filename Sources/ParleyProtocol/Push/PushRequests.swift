/// `push/register`: the calling device is reached by this target from now on, and by no other. Whoever was reached by
/// the same token before, or the same endpoint with the same secret, is so no more and hears `push.ended`.
public struct RegisterPush: Command {
    public static let operation = Operation(validatedArea: "push", verb: "register")
    public typealias Reply = PushRegistered

    public let target: PushTarget

    public init(_ target: PushTarget) { self.target = target }

    package init<Pass: FieldPass<RegisterPush>>(fields pass: inout Pass) throws(Pass.Failure) {
        target = try pass.part(\.target)
    }
}

/// `push/unregister`: the calling device is reached by no push service any more.
public struct UnregisterPush: Command, EmptyRequest {
    public static let operation = Operation(validatedArea: "push", verb: "unregister")
    public typealias Reply = PushRegistered

    public init() {}
}

/// The `data` of an accepted `push/register` or `push/unregister`.
public struct PushRegistered: GatewayObject {
    /// `nil` where the device is registered no more.
    public let registeredAt: Timestamp?

    public init(registeredAt: Timestamp?) { self.registeredAt = registeredAt }

    package init<Pass: FieldPass<PushRegistered>>(fields pass: inout Pass) throws(Pass.Failure) {
        registeredAt = try pass.optional("registered_at", \.registeredAt)
    }
}
