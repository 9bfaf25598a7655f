import ParleyProtocol
import ParleyRules
import ParleyStore

/// A notification of the type `test` for each device of a user that is registered, connected or not.
extension TestPush: CommandHandler {
    func decide(in context: DecisionContext) throws -> [PushRegistration] {
        guard try context.facts.users.hasMember(user) else { throw Rejection.userNotFound }
        return try context.facts.pushRegistrations.registrations(of: [user])[user] ?? []
    }

    func apply(_ registrations: [PushRegistration], in context: ApplyContext) throws(StoreError) {
        let position = try context.read { try $0.outbox.lastPosition() }
        let jobs = registrations.map { registration in
            PushJob(
                id: NotificationID(.ordered(at: context.now)), device: registration.device, position: position,
                registration: registration.number, provider: registration.target.provider, type: .test, isUrgent: true,
                createdAt: context.now, deadline: context.steady.advanced(by: context.settings.pushDeadline))
        }
        let traces = jobs.map { job in
            PushTrace(
                id: job.id, message: nil, user: user, device: job.device.device, provider: job.provider, type: .test,
                decision: PushRules.Decision.notify.name, decidedAt: context.now)
        }
        try context.transaction.pushTraces.insert(
            traces, removal: context.steady.advanced(by: context.settings.pushTraceLifetime))
        context.afterCommit.push.dropped += try context.transaction.enqueue(
            jobs, now: context.now, steady: context.steady)
        context.afterCommit.push.hasNoted = true
        let devices = jobs.map { job in
            TestedDevice(device: job.device.device, provider: .known(job.provider), id: job.id)
        }
        context.accept { TestedPushes(devices: devices).write(to: &$0) }
    }
}
