import ParleyProtocol
import ParleyPush
import Platform
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// A plan is committed in the database of pushes and then in the main one, and a process may be killed between the two.
@Suite("Two commits of a plan", .ownThreads)
struct PushTwoCommitTests {
    /// What the next process finds of a plan, and has the writer carry out.
    private func announcement(_ world: PushWorld) throws -> PushAnnouncement.Plan {
        try world.test.store.read { snapshot in
            try world.test.pushes.read { pushes in
                let planner = PushPlanner(
                    snapshot: snapshot, pushes: pushes, settings: world.test.writer.settings, people: world.people,
                    now: at(0))
                return try planner.announcement(try #require(try pushes.plans.last()))
            }
        }
    }

    private func publish(_ plan: PushAnnouncement.Plan, _ world: PushWorld) throws -> [Published] {
        var effects = Effects()
        #expect(try world.announce(PushAnnouncement(plan: plan), &effects).plan == plan.number)
        try world.test.countUnread(in: &effects.outgoing)
        return try effects.outgoing.events
    }

    @Test(
        "killed between the two, the next process publishes what the last would have, once, and decides nothing again")
    func killedBetween() throws {
        let world = try PushWorld()
        try world.register("bob", "laptop")
        try world.test.pushes.write { try $0.displays.hold([PushHold(user: "carol", until: at(0))]) }
        try world.social.create(by: "alice", with: "carol")
        world.people.arrive("carol")
        try world.social.write("alice", to: "carol")
        world.people.leave("carol", at: at(60_000))
        _ = world.people.drainDepartures(limit: 9)
        let message = try world.write()
        let plan = try world.plan()
        let planned = try world.write { try $0.insert(plan) }
        #expect(planned.announcement.topics.count == 2)
        let found = try announcement(world)
        #expect(found.number == planned.announcement.number && found.decidedThrough != nil)
        let order = { (plan: PushAnnouncement.Plan) in
            plan.topics.map(\.notification).sorted { $0.user.text < $1.user.text }
        }
        #expect(order(found) == order(planned.announcement))
        let published = try publish(found, world)
        #expect(
            Set(published.map(\.topic)) == [
                "parley/v1/users/bob/notifications", "parley/v1/users/carol/notifications",
            ])
        #expect(try world.test.text("SELECT count(*) FROM push_events") == "0")
        // Killed after the second as well.
        #expect(try publish(found, world).isEmpty)
        #expect(try world.step().events.isEmpty)
        #expect(try world.decisions(of: message).count == 3)
        #expect(try world.text("SELECT count(*) FROM jobs") == "2")
    }

    @Test("killed between the two, what is cleared is published as well; a message that is gone since is not")
    func clearedBetween() throws {
        let world = try PushWorld()
        let first = try world.write()
        let begun = try world.step().begun
        try world.step(outcomes: world.outcomes(begun, .accepted(status: 200)))
        let second = try world.write()
        try world.read(first)
        let plan = try world.plan()
        _ = try world.write { try $0.insert(plan) }
        try world.delete(second)
        #expect(try publish(try announcement(world), world).map(\.event) == ["notification.cleared"])
    }

    @Test("events that come between the two are decided after them")
    func eventsBetween() throws {
        let world = try PushWorld()
        try world.write()
        let plan = try world.plan()
        let planned = try world.write { try $0.insert(plan) }
        let later = try world.write()
        #expect(try publish(planned.announcement, world).count == 1)
        #expect(try world.test.text("SELECT count(*) FROM push_events") == "1")
        try world.step()
        #expect(try world.decisions(of: later) == ["bob/phone: notify", "bob: notify"])
    }

    @Test("a registration that ends while jobs wait drops them, and what comes for the next one stays")
    func registeredAgain() throws {
        let world = try PushWorld()
        let before = try world.write()
        try world.step(room: 0)
        try world.perform(UnregisterPush.self, "{}", by: device("bob", "phone"))
        try world.register("bob", "phone", endpoint: "https://example.com/new", now: at(1))
        try world.write(now: at(2))
        let begun = try world.step(now: at(2)).begun
        #expect(begun.map(\.seq) == [2])
        #expect(try world.answers(of: before) == ["the device is not registered any more after 0, repeated 0"])
    }

    @Test("a test of a device is known before it is on its way, and says where there is none any more")
    func testKnown() throws {
        let world = try PushWorld()
        let reply = try world.social.result(
            of: request(TestPush.self, #"{"user_id":"bob"}"#, from: device("operator", "console")))
        let devices = try #require(reply.reply.data["devices"] as? [[String: Any]])
        let text = try #require(devices.first?["id"] as? String)
        let id = try #require(NotificationID(text))
        func answer() throws -> String? {
            let outgoing = try world.test.reader().answer(
                request(TraceMessage.self, #"{"id":"\#(id)"}"#, from: device("operator", "console")), now: at(0))
            let data = try #require(try outgoing.published.first).data
            let push = try #require((data["pushes"] as? [[String: Any]])?.first)
            #expect(push["device_id"] as? String == "phone" && push["type"] as? String == "test")
            return push["answer"] as? String
        }
        #expect(try answer() == nil)
        try world.perform(UnregisterPush.self, "{}", by: device("bob", "phone"))
        try world.step()
        #expect(try answer() == "the device is not registered any more")
    }

    @Test("whoever is added is in the set for each transaction that a later snapshot lacks")
    func displaying() async throws {
        let displaying = DisplayingUsers()
        // Nobody waits for a transaction that is over, nor for one that has seen the user.
        displaying.during {}
        displaying.add(["bob"])
        displaying.during { displaying.add(["bob"]) }
        let state = Monitor((isOpen: false, isAdded: false))
        async let adding: Void = LoopThread.run(name: "parley-push") {
            state.wait { $0.isOpen ? () : nil }
            displaying.add(["carol"])
            state.withLock { $0.isAdded = true }
        }
        displaying.during {
            state.withLock { $0.isOpen = true }
            while !displaying.contains("carol") {}
            #expect(!state.withLock { $0.isAdded })
        }
        try await adding
        #expect(state.withLock { $0.isAdded })
    }
}
