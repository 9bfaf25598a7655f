import ParleyProtocol
import ParleyPush
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Whom a message notifies", .onEveryStore)
struct PushDecisionTests {
    @Test("who is not connected is notified, on the topic and on each registered device, once")
    func away() throws {
        let world = try PushWorld()
        try world.register("bob", "laptop")
        let message = try world.write()
        let step = try world.step()
        #expect(step.events == ["users/bob/notifications: message"])
        #expect(Set(step.begun.map(\.device)) == [device("bob", "laptop"), device("bob", "phone")])
        #expect(try world.decisions(of: message) == ["bob/laptop: notify", "bob/phone: notify", "bob: notify"])
        let again = try world.step()
        #expect(again.events.isEmpty && again.begun.isEmpty)
    }

    @Test("what is sent names the conversation, the place and the number of unread messages, and has the ciphertext")
    func content() throws {
        let world = try PushWorld()
        let message = try world.write()
        let built = try world.build(world.step().begun)
        let notification = try #require(built.deliveries.first).notification
        #expect(notification.type == .known(.message) && notification.user == "bob" && notification.device == "phone")
        #expect(notification.subject.conversation == (try ConversationID.direct(["alice", "bob"])))
        #expect(notification.subject.seq == 1 && notification.subject.message == message)
        #expect(notification.badge == .counted(1) && notification.message?.id == message)
        #expect(built.deliveries.first?.collapse == notification.subject.conversation)
    }

    @Test("a setting leaves out the ciphertext, or everything", arguments: ["reference", "wake_up"])
    func lessContent(content: String) throws {
        let world = try PushWorld { $0.pushContent = content }
        try world.write()
        let notification = try #require(try world.build(world.step().begun).deliveries.first).notification
        #expect(notification.message == nil && notification.badge == .counted(1))
        #expect((notification.subject.conversation == nil) == (content == "wake_up"))
        #expect(notification.type == .known(content == "wake_up" ? .wakeUp : .message))
    }

    @Test("who is connected is not notified, and nothing is noted of the message")
    func connected() throws {
        let world = try PushWorld()
        world.people.arrive("bob")
        try world.write()
        #expect(try world.test.text("SELECT count(*) FROM push_events") == "0")
        #expect(try world.step().events.isEmpty)
    }

    @Test("a setting notifies who is connected as well")
    func always() throws {
        let world = try PushWorld { $0.pushAlways = true }
        world.people.arrive("bob")
        try world.write()
        #expect(try world.step().begun.count == 1)
    }

    @Test("who has muted the conversation is not notified")
    func muted() throws {
        let world = try PushWorld()
        let conversation = try ConversationID.direct(["alice", "bob"])
        try world.social.ask(
            UpdateConversation.self, by: "bob", #"{"conversation_id":"\#(conversation)","is_muted":true}"#)
        let message = try world.write()
        #expect(try world.step().events.isEmpty)
        #expect(try world.decisions(of: message) == ["bob: muted"])
    }

    @Test("a request that waits is told of as a request, and not as a message")
    func waitingRequest() throws {
        let world = try PushWorld()
        try world.social.ask(ProfileChange.self, by: "bob", #"{"message_privacy":"followers"}"#)
        try world.social.create(by: "carol", with: "bob")
        let id = MessageID.random()
        try world.social.write("carol", to: "bob", id: id)
        let begun = try world.step().begun
        #expect(begun.map(\.type) == [.feed(.messageRequest)])
        #expect(try world.decisions(of: id) == ["bob: request_waits"])
        #expect(try world.build(begun).deliveries.first?.notification.message == nil)
    }

    @Test("what was read before it goes out does not go out")
    func read() throws {
        let world = try PushWorld()
        let message = try world.write()
        let begun = try world.step().begun
        try world.read(message)
        let built = try world.build(begun)
        #expect(built.deliveries.isEmpty && built.dropped == ["no longer: already_read"])
    }

    @Test("quiet hours hold back what is not urgent, and one digest follows")
    func quietHours() throws {
        let world = try PushWorld()
        try world.social.ask(
            ProfileChange.self, by: "bob", #"{"quiet_hours":{"from":"22:00","to":"07:00"},"time_zone":"Europe/Berlin"}"#
        )
        let night = try #require(Timestamp("2026-01-15T23:30:00.000Z"))
        let morning = try #require(Timestamp("2026-01-16T06:00:00.000Z"))
        let held = try world.write(now: night)
        try world.write(now: night)
        let step = try world.step(now: night)
        #expect(step.events.isEmpty && step.begun.isEmpty && step.nextHoldEnd == morning)
        #expect(try world.decisions(of: held) == ["bob: hold"])
        let urgent = try world.write(isUrgent: true, now: night)
        #expect(try world.step(now: night).begun.count == 1)
        #expect(try world.decisions(of: urgent) == ["bob/phone: notify", "bob: notify"])
        try world.execute("DELETE FROM jobs")
        #expect(try world.step(now: morning.advanced(byMilliseconds: -1)).events.isEmpty)
        let digest = try world.step(now: morning)
        #expect(digest.events == ["users/bob/notifications: digest"])
        let built = try world.build(digest.begun, now: morning)
        #expect(built.deliveries.map(\.notification.type) == [.known(.digest)])
        #expect(built.deliveries.map(\.notification.badge) == [.counted(3)])
        #expect(try world.step(now: morning).events.isEmpty)
    }

    @Test("quiet hours that are changed end when they end now")
    func endedEarly() throws {
        let world = try PushWorld()
        try world.social.ask(ProfileChange.self, by: "bob", #"{"quiet_hours":{"from":"22:00","to":"07:00"}}"#)
        let night = try #require(Timestamp("2026-01-15T23:30:00.000Z"))
        try world.write(now: night)
        #expect(try world.step(now: night).events.isEmpty)
        try world.social.ask(ProfileChange.self, by: "bob", #"{"time_zone":"Asia/Tokyo"}"#, now: night)
        try world.step(now: night)
        #expect(try world.step(now: night).events == ["users/bob/notifications: digest"])
    }

    @Test("what came into the feed of who turns out to have left is pushed")
    func departedFeed() throws {
        let world = try PushWorld()
        world.people.arrive("bob")
        try world.social.ask(ProfileChange.self, by: "bob", #"{"message_privacy":"followers"}"#)
        try world.social.create(by: "carol", with: "bob", now: at(10_000))
        try world.social.write("carol", to: "bob", now: at(10_000))
        #expect(try world.step(now: at(10_000)).begun.isEmpty)
        world.people.leave("bob", at: at(10_100))
        #expect(try world.step(now: at(10_100)).begun.map(\.type) == [.feed(.messageRequest)])
        world.people.arrive("bob")
        world.people.leave("bob", at: at(10_150))
        #expect(try world.step(now: at(10_150)).begun.isEmpty)
    }

    @Test("who has read everything in their quiet hours gets no digest")
    func nothingLeft() throws {
        let world = try PushWorld()
        try world.social.ask(ProfileChange.self, by: "bob", #"{"quiet_hours":{"from":"22:00","to":"07:00"}}"#)
        let night = try #require(Timestamp("2026-01-15T23:30:00.000Z"))
        let message = try world.write(now: night)
        try world.step(now: night)
        try world.read(message, now: night)
        let morning = try world.step(now: try #require(Timestamp("2026-01-16T07:00:00.000Z")))
        #expect(morning.events.isEmpty && morning.begun.isEmpty)
    }

    @Test("who turns out to have left is notified of what was sent meanwhile")
    func departed() throws {
        let world = try PushWorld()
        world.people.arrive("bob")
        let missed = try world.write(now: at(10_000))
        #expect(try world.step(now: at(10_000)).begun.isEmpty)
        world.people.leave("bob", at: at(10_200))
        let step = try world.step(now: at(10_200))
        #expect(step.events == ["users/bob/notifications: message"] && step.begun.count == 1)
        #expect(try world.decisions(of: missed) == ["bob/phone: notify", "bob: notify"])
        world.people.arrive("bob")
        world.people.leave("bob", at: at(10_220))
        #expect(try world.step(now: at(10_220)).events.isEmpty)
    }

    @Test("who turns out to have missed more than a plan holds is notified of it in several")
    func departedWithMany() throws {
        let (world, now) = (try PushWorld(), at(10_000))
        world.people.arrive("bob")
        try world.social.create(by: "carol", with: "bob")
        for _ in 0..<50 {
            try world.write(now: now)
            try world.social.write("carol", to: "bob", now: now)
        }
        world.people.leave("bob", at: now)
        let departures = world.people.drainDepartures(limit: 1)
        var plans: [PushPlan] = []
        repeat {
            plans.append(try world.plan(now: now, departures: departures))
            _ = try world.write(now) { try $0.insert(try #require(plans.last)) }
        } while plans.last?.departures == 0
        #expect(plans.map(\.notices.count) == [PushPlanner.noticesAtOnce, 100 - PushPlanner.noticesAtOnce])
        #expect(try world.text("SELECT count(*) FROM jobs") == "100")
    }

    @Test("who leaves is not notified of what their devices have said to have received, nor of what is old")
    func received() throws {
        let world = try PushWorld()
        world.people.arrive("bob")
        try world.write(now: at(1000))
        try world.receive(try world.write(now: at(10_000)), now: at(10_000))
        world.people.leave("bob", at: at(10_500))
        #expect(try world.step(now: at(10_500)).events.isEmpty)
    }

    @Test("a device that acknowledges is notified of what it has not, if its connection was dead for a while")
    func deadConnection() throws {
        let world = try PushWorld()
        world.people.arrive("bob")
        try world.receive(try world.write())
        let missed = try world.write(now: at(1000))
        world.people.leave("bob", at: at(90_000))
        #expect(try world.step(now: at(90_000)).events == ["users/bob/notifications: message"])
        #expect(try world.decisions(of: missed) == ["bob/phone: notify", "bob: notify"])
    }

    @Test("the first message ever to somebody is taken not to have arrived when their connection turns out to be dead")
    func firstMessage() throws {
        let world = try PushWorld()
        world.people.arrive("bob")
        try world.write(now: at(1000))
        world.people.leave("bob", at: at(90_000))
        #expect(try world.step(now: at(90_000)).events == ["users/bob/notifications: message"])
        // Who was sent something long ago, and has never said to have received anything, uses an app that does not.
        world.people.arrive("bob")
        try world.write(now: at(.seconds(7200)))
        world.people.leave("bob", at: at(.seconds(7300)))
        #expect(try world.step(now: at(.seconds(7300))).events.isEmpty)
    }

    @Test("an urgent message to who turns out not to have been connected passes their quiet hours")
    func urgentToDeadConnection() throws {
        let world = try PushWorld()
        try world.social.ask(ProfileChange.self, by: "bob", #"{"quiet_hours":{"from":"22:00","to":"07:00"}}"#)
        let night = try #require(Timestamp("2026-01-15T23:30:00.000Z"))
        world.people.arrive("bob")
        let ordinary = try world.write(now: night)
        let urgent = try world.write(isUrgent: true, now: night)
        #expect(try world.step(now: night).events.isEmpty)
        #expect(try world.decisions(of: urgent) == ["bob: connected"])
        #expect(try world.decisions(of: ordinary).isEmpty)
        let later = night.advanced(by: .seconds(90))
        world.people.leave("bob", at: later)
        #expect(try world.step(now: later).events == ["users/bob/notifications: message"])
        #expect(try world.decisions(of: urgent) == ["bob/phone: notify", "bob: notify"])
        #expect(try world.decisions(of: ordinary) == ["bob: hold"])
        world.people.arrive("bob")
        world.people.leave("bob", at: later)
        #expect(try world.step(now: later).events.isEmpty)
    }

    @Test("a message that is deleted after it was decided is not published as a notification")
    func deletedMeanwhile() throws {
        let world = try PushWorld()
        let message = try world.write()
        #expect(try world.plan().notices.count == 1)
        let step = try world.step { try world.delete(message) }
        #expect(step.events.isEmpty && step.begun.isEmpty)
    }
}
