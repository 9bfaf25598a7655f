import ParleyProtocol
import ParleyStore

/// Sends a notification of the type `test` to each registered device of a user, connected or not.
extension TestPush: CommandHandler {
    func decide(in context: DecisionContext) throws -> [PushRegistration] {
        guard try context.facts.users.hasMember(user) else { throw Rejection.userNotFound }
        return try context.facts.pushRegistrations.registrations(of: [user])[user] ?? []
    }

    func apply(_ registrations: [PushRegistration], in context: ApplyContext) throws(StoreError) {
        let position = try context.read { try $0.outbox.lastPosition() }
        let devices = registrations.map { registration in
            TestedDevice(
                device: registration.device.device, provider: .known(registration.target.provider),
                id: NotificationID(.ordered(at: context.now)))
        }
        for device in devices {
            context.pushTriggers.test(device.id, of: DeviceAddress(user: user, device: device.device), at: position)
        }
        context.accept { TestedPushes(devices: devices).write(to: &$0) }
    }
}
