import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

extension StoreScenario {
    /// How devices are reached, what has happened, what is on its way and what became of it.
    func pushes(in direct: ConversationState) throws {
        let phone = device("alice", "phone")
        let testID = NotificationID.random()
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
                PushEvent(position: 3, subject: .quietHours(of: "alice"), createdAt: at(0), steadyAt: at(0)),
                PushEvent(position: 3, subject: .test(testID, to: phone), createdAt: at(0), steadyAt: at(0)),
            ])
            let facts = transaction.facts
            _ = try facts.pushEvents.unreadNotifications(of: "alice", since: at(0), limit: 9)
            _ = try facts.pushEvents.removed(at: 1, in: direct.key)
            _ = try facts.pushEvents.readSeqs(
                devices.map { PushEventQueries.Recipient(user: $0.user, conversation: direct.key, sender: "frank") })
            _ = try facts.pushEvents.present(at: [1, 2])
            #expect(try facts.pushEvents.events(limit: 9).map(\.subject).contains(.test(testID, to: phone)))
            #expect(try facts.pushEvents.events(besides: [.only, Stream(cell: 7)], limit: 9).isEmpty)
            #expect(try facts.pushEvents.test(testID)?.device == phone)
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
            let record = try transaction.append(to: direct.facts.id, from: phone)
            let traced = try #require(try facts.tracedRecords.record(record.id))
            #expect(try facts.tracedRecords.members(for: traced, limit: 9).map(\.user) == ["bob"])
            #expect(try !facts.pushEvents.isUndecided(traced.position))
            #expect(try transaction.pushRegistrations.end(1, of: phone, since: nil, at: at(1)))
            try transaction.pushRegistrations.remove(devices[1], at: at(1))
            let ends = try facts.pushEvents.events(limit: 9).suffix(2).map(\.subject)
            #expect(ends == [.registrationEnd(phone), .registrationEnd(devices[1])])
            _ = try facts.records.displayedExpiries(at: at(1), limit: 9) { _ in true }
            try transaction.pushEvents.remove(through: try #require(try facts.pushEvents.events(limit: 2).last?.key))
        }
    }

    /// What is on its way and what became of it, in the database of pushes.
    func pushes(_ pushes: PushStore) throws {
        let conversation = ConversationKey(value: 1)
        let devices = ["alice", "bob", "carol", "dave", "erin"].map { device(UserID(validated: $0), "phone") }
        let phone = devices[0]
        try pushes.write { transaction in
            let facts = transaction.facts
            try transaction.plans.setName("name")
            #expect(try facts.plans.name() == "name")
            let jobs = devices.map { pushJob(to: $0, in: conversation) }
            _ = try transaction.jobs.insert(jobs, now: at(0))
            let more = (0...PushJob.mostOfDevice).map { pushJob(to: phone, in: conversation, position: $0 + 2) }
            #expect(try transaction.jobs.insert(more, now: at(0)).count == 2)
            try transaction.traces.insert(
                jobs.map { job in
                    PushTrace(
                        id: job.id, message: .random(), user: job.device.user, device: job.device.device,
                        provider: .fcm, type: .message, decision: "notify", decidedAt: at(0))
                }, removal: at(1))
            try transaction.displays.endHold(of: "alice", at: at(0))
            try transaction.displays.hold(devices.map { PushHold(user: $0.user, until: at(1)) })
            try transaction.displays.set(devices.map { (user: $0.user, conversation: conversation, seq: 1) })
            _ = try facts.displays.endedHolds(at: at(2), limit: 9)
            _ = try facts.displays.nextHoldEnd()
            _ = try facts.displays.users()
            #expect(try facts.displays.users(among: ["alice", "frank"]) == ["alice"])
            #expect(try facts.displays.seq(to: "alice", of: conversation) == 1)
            _ = try facts.jobs.due(for: .fcm, at: at(0), limit: 9)
            _ = try facts.jobs.counts()
            _ = try facts.jobs.nextDue(for: .fcm)
            _ = try facts.jobs.underWay(for: .fcm)
            _ = try facts.jobs.jobs(jobs.map(\.id))
            _ = try facts.jobs.hasLater(than: jobs[0])
            _ = try facts.jobs.isEarlierUnderWay(than: jobs[0])
            _ = try facts.traces.trace(of: jobs[0].id)
            _ = try facts.traces.traces(of: .random(), limit: 9)
            try transaction.jobs.begin(jobs.map(\.id))
            try transaction.traces.begin(jobs.map(\.id), at: at(0))
            try transaction.traces.takeBack(jobs[4].id)
            try transaction.jobs.bypass(jobs[3], now: at(0))
            let later = pushJob(to: jobs[3].device, in: conversation, position: 9)
            _ = try transaction.jobs.removeBypassed(by: later, now: at(0))
            try transaction.jobs.retry(jobs[0].id, at: at(1), attempts: 1, isUncertain: true)
            try transaction.traces.answer(jobs[0].id, "accepted", isUncertain: false, at: at(1))
            try transaction.jobs.finish(jobs[1].id, now: at(1))
            #expect(try transaction.jobs.resume(now: at(1)) == 3)
            try transaction.jobs.release(now: at(1))
            try transaction.jobs.redirect(
                to: PushRegistration(device: phone, number: 9, target: .fcm(token: "new"), registeredAt: at(1)))
            try transaction.jobs.removeAll(of: phone, besides: 8, at: at(1), steady: at(0))
            #expect(try facts.jobs.due(for: .fcm, at: at(9), limit: 99).jobs.allSatisfy { $0.device != phone })
            _ = try transaction.displays.clear(to: "alice", of: conversation, upTo: 1)
            try transaction.displays.remove(to: "alice")
            try transaction.displays.removeHolds(of: devices.map(\.user))
            let plan = PushPlanRecord(
                number: try facts.plans.lastNumber() + 1, decidedThrough: PushEvent.Key(value: 7),
                announcements: [
                    PushAnnouncementRecord(id: .random(), user: "alice", kind: .message(3), createdAt: at(0)),
                    PushAnnouncementRecord(id: .random(), user: "bob", kind: .digest, createdAt: at(0)),
                    PushAnnouncementRecord(
                        id: .random(), user: "bob", kind: .clearance(conversation, seq: 2), createdAt: at(0)),
                ])
            try transaction.plans.set(plan)
            let stored = try #require(try facts.plans.last())
            #expect(stored.number == plan.number && stored.decidedThrough == plan.decidedThrough)
            #expect(Set(stored.announcements) == Set(plan.announcements))
            _ = try transaction.traces.removeExpired(at: at(1), limit: 9)
        }
        try store.write { transaction in
            try transaction.pushLink.setPlan(1)
            #expect(try transaction.facts.pushLink.plan() == 1)
            try transaction.pushLink.remove()
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
