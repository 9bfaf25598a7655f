import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

extension StoreScenario {
    /// How devices are reached, what has happened, what is on its way and what became of it.
    func pushes(in direct: ConversationState) throws {
        let phone = device("alice", "phone")
        let devices = ["alice", "bob", "carol", "dave", "erin"].map { device(UserID(validated: $0), "phone") }
        try store.write { transaction in
            for (number, one) in devices.enumerated() {
                let registration = PushRegistration(
                    device: one, number: Int64(number + 1), target: .fcm(token: "token-\(number)"), registeredAt: at(0))
                let address = [UInt8](repeating: UInt8(number), count: 16)
                _ = try transaction.pushRegistrations.put(registration, address: address, formerAddress: address)
            }
            try transaction.pushEvents.insert([
                PushEvent(
                    position: 1, subject: .message(direct.key, seq: 1, isUrgent: false), createdAt: at(0),
                    steadyAt: at(0)),
                PushEvent(
                    position: 2, subject: .clearing(direct.key, seq: 1, of: "alice", besides: "phone"),
                    createdAt: at(0), steadyAt: at(0)),
                PushEvent(position: 2, subject: .removal(direct.key, seq: 1), createdAt: at(0), steadyAt: at(0)),
                PushEvent(position: 3, subject: .feed(.random(), of: "alice"), createdAt: at(0), steadyAt: at(0)),
            ])
            let jobs = devices.map { pushJob(to: $0, in: direct.key) }
            _ = try transaction.pushJobs.insert(jobs, now: at(0))
            let more = (0...PushJob.mostOfDevice).map { pushJob(to: phone, in: direct.key, position: $0 + 2) }
            #expect(try transaction.pushJobs.insert(more, now: at(0)).count == 2)
            try transaction.pushTraces.insert(
                jobs.map { job in
                    PushTrace(
                        id: job.id, message: .random(), user: job.device.user, device: job.device.device,
                        provider: .fcm, type: .message, decision: "notify", decidedAt: at(0))
                }, removal: at(1))
            try transaction.pushJobs.endHold(of: "alice", at: at(0))
            _ = try transaction.facts.pushEvents.unreadNotifications(of: "alice", since: at(0), limit: 9)
            try transaction.pushJobs.hold(devices.map { PushHold(user: $0.user, until: at(1)) })
            try transaction.pushJobs.setShown(devices.map { (user: $0.user, conversation: direct.key, seq: 1) })
            let facts = transaction.facts
            _ = try facts.pushJobs.endedHolds(at: at(2), limit: 9)
            _ = try facts.pushJobs.nextHoldEnd()
            _ = try facts.pushJobs.usersShown()
            _ = try facts.pushJobs.membersShown(of: direct.key)
            _ = try facts.pushEvents.removed(at: 1, in: direct.key)
            _ = try facts.pushJobs.readSeqs(
                devices.map { PushJobQueries.Recipient(user: $0.user, conversation: direct.key, sender: "frank") })
            _ = try facts.pushJobs.present(at: [1, 2])
            _ = try facts.pushJobs.due(for: .fcm, at: at(0), limit: 9)
            _ = try facts.pushJobs.nextDue(for: .fcm)
            _ = try facts.pushJobs.underWay(for: .fcm)
            _ = try facts.pushJobs.jobs(jobs.map(\.id))
            _ = try facts.pushJobs.hasLater(than: jobs[0])
            _ = try facts.pushJobs.isEarlierUnderWay(than: jobs[0])
            _ = try facts.pushEvents.events(limit: 9)
            _ = try facts.pushEvents.message(at: 1)
            _ = try facts.pushEvents.recipients(in: direct.key, besides: "alice")
            _ = try facts.pushEvents.quietHours(of: devices.map(\.user))
            _ = try facts.pushEvents.log(of: direct.key)
            _ = try facts.pushEvents.unreadNotifications([.random(), .random()])
            _ = try facts.pushEvents.undelivered(to: "bob", since: at(0), limit: 9)
            _ = try facts.pushEvents.undelivered(to: "nobody", since: at(0), limit: 9)
            _ = try facts.pushRegistrations.registrations(of: devices.map(\.user))
            _ = try facts.pushRegistrations.registration(of: phone)
            _ = try facts.pushRegistrations.hasAny()
            _ = try facts.pushTraces.trace(of: jobs[0].id)
            _ = try facts.pushTraces.traces(of: .random(), limit: 9)
            let record = try transaction.append(to: direct.facts.id, from: phone)
            let traced = try #require(try facts.pushTraces.record(record.id))
            #expect(try facts.pushTraces.members(for: traced, limit: 9).map(\.user) == ["bob"])
            #expect(try !facts.pushTraces.isUndecided(traced.position))
            try transaction.pushJobs.begin(jobs.map(\.id))
            try transaction.pushTraces.begin(jobs.map(\.id), at: at(0))
            try transaction.pushTraces.takeBack(jobs[4].id)
            try transaction.pushJobs.letPass(jobs[3], now: at(0))
            let later = pushJob(to: jobs[3].device, in: direct.key, position: 9)
            _ = try transaction.pushJobs.removePassed(by: later, now: at(0))
            try transaction.pushJobs.retry(jobs[0].id, at: at(1), attempts: 1, isUncertain: true)
            try transaction.pushTraces.answer(jobs[0].id, "accepted", isUncertain: false, at: at(1))
            try transaction.pushJobs.finish(jobs[1], now: at(1))
            #expect(try transaction.pushJobs.resume(now: at(1)) == 3)
            try transaction.pushJobs.release(now: at(1))
            _ = try transaction.pushJobs.endRegistration(1, of: phone, since: nil, at: at(1))
            try transaction.pushRegistrations.remove(devices[1], at: at(1))
            _ = try transaction.pushJobs.clearShown(to: "alice", of: direct.key, upTo: 1)
            try transaction.pushJobs.removeShown(to: "alice")
            try transaction.pushJobs.removeHolds(of: devices.map(\.user))
            try transaction.pushEvents.remove(facts.pushEvents.events(limit: 2).compactMap(\.key))
            _ = try facts.records.shownExpiries(at: at(1), limit: 9)
            _ = try transaction.pushTraces.removeExpired(at: at(1), limit: 9)
            _ = try transaction.pushJobs.removeAll()
        }
    }
}

/// A message on its way to a device.
func pushJob(to device: DeviceAddress, in conversation: ConversationKey, position: Int = 1) -> PushJob {
    PushJob(
        id: .random(), device: device, position: StreamPosition(position), registration: 1, provider: .fcm,
        type: .message, conversation: conversation, seq: position, isUrgent: false, createdAt: at(0), deadline: at(1000)
    )
}
