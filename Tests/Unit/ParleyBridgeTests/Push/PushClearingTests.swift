import ParleyProtocol
import ParleyPush
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("What is taken away of what devices show", .onEveryStore)
struct PushClearingTests {
    @Test("reading on one device clears the others, with the number that is left, on the topic too")
    func cleared() throws {
        let world = try PushWorld()
        try world.register("bob", "laptop")
        let first = try world.write()
        let second = try world.write()
        let begun = try world.step().begun
        try world.step(outcomes: world.outcomes(begun, .accepted(status: 200)))
        try world.execute("DELETE FROM jobs")
        try world.read(first, on: "phone")
        let step = try world.step()
        #expect(step.events == ["users/bob/notifications: notification.cleared"])
        #expect(step.begun.map(\.device) == [device("bob", "laptop")])
        let notification = try #require(try world.build(step.begun).deliveries.first).notification
        #expect(notification.type == .known(.clear) && notification.badge == .counted(1))
        #expect(notification.subject.seq == 1 && notification.message == nil)
        try world.read(second, on: "phone")
        #expect(try world.step().events.count == 1)
        #expect(try world.text("SELECT count(*) FROM displayed") == "0")
    }

    @Test("nothing is cleared for who was not notified")
    func nothingShown() throws {
        let world = try PushWorld()
        world.people.arrive("bob")
        let message = try world.write()
        try world.read(message)
        #expect(try world.test.text("SELECT count(*) FROM push_events") == "0")
    }

    @Test("what is muted or archived is shown no more", arguments: ["is_muted", "is_archived"])
    func takenAway(change: String) throws {
        let world = try PushWorld()
        try world.register("bob", "laptop")
        try settle(world) { for _ in 1...2 { try world.write() } }
        let conversation = try ConversationID.direct(["alice", "bob"])
        try world.perform(
            UpdateConversation.self, #"{"conversation_id":"\#(conversation)","\#(change)":true}"#,
            by: device("bob", "phone"))
        let step = try world.step()
        #expect(step.events == ["users/bob/notifications: notification.cleared"])
        let deliveries = try world.build(step.begun).deliveries.map(\.notification)
        #expect(deliveries.map(\.device) == ["laptop"])
        #expect(deliveries.allSatisfy { $0.type == .known(.clear) && $0.badge == .counted(0) })
        #expect(deliveries.allSatisfy { ($0.subject.seq ?? 0) >= 2 && $0.subject.message == nil })
        #expect(try world.test.text("SELECT count(*) FROM push_events") == "0")
    }

    @Test("of several unread messages one that is deleted is taken away alone, and the number is right each time")
    func deletedAmongOthers() throws {
        let world = try PushWorld()
        var messages: [MessageID] = []
        try settle(world) { for _ in 1...3 { messages.append(try world.write()) } }
        try world.delete(messages[2])
        let last = try world.sent()
        #expect(last.map(\.badge) == [.counted(2)] && last.map(\.subject.message) == [messages[2]])
        #expect(last.map(\.subject.seq) == [0])
        // What a push service keeps for a phone that is off is not replaced: two of it are unread.
        #expect(try world.text("SELECT seq FROM displayed WHERE conversation <> 0") == "3")
        try world.delete(messages[1])
        let second = try world.sent()
        #expect(second.map(\.badge) == [.counted(1)] && second.map(\.subject.message) == [messages[1]])
        try world.delete(messages[0])
        let first = try world.sent()
        #expect(first.map(\.badge) == [.counted(0)] && first.map(\.subject.message) == [nil])
        #expect(first.map(\.subject.seq) == [3])
        #expect(try world.text("SELECT count(*) FROM displayed") == "0")
    }

    @Test("of a message that was read nothing is told when it is deleted")
    func readAndDeleted() throws {
        let world = try PushWorld()
        var messages: [MessageID] = []
        try settle(world) { for _ in 1...2 { messages.append(try world.write()) } }
        try world.read(messages[0])
        try settle(world) {}
        try world.delete(messages[0])
        #expect(try world.sent().isEmpty)
    }

    @Test("a number that is less than devices show is told to them, whatever was read, and once")
    func numberOfAnother() throws {
        let world = try PushWorld()
        let group = try world.test.conversation(["alice", "bob"])
        world.people.arrive("bob")
        let unpushed = try world.write()
        try world.receive(unpushed)
        world.people.leave("bob", at: at(0))
        try settle(world) { try world.perform(send(group)) }
        try world.read(unpushed)
        let step = try world.step(lastBadges: ["bob": 2])
        #expect(step.events == ["users/bob/notifications: notification.cleared"])
        let told = try world.build(step.begun).deliveries.map(\.notification)
        #expect(told.map(\.type) == [.known(.clear)] && told.map(\.badge) == [.counted(1)])
        // What comes and is read beside what they show makes the number no less than that.
        world.people.arrive("bob")
        try world.read(try world.write())
        let taken = world.outcomes(step.begun, .accepted(status: 200))
        let after = try world.step(outcomes: taken, lastBadges: ["bob": 1])
        #expect(after.events.isEmpty && after.begun.isEmpty)
        let (first, _) = (try world.write(), try world.write())
        try world.read(first)
        #expect(try world.step(lastBadges: ["bob": 1]).begun.isEmpty)
    }

    @Test("two conversations that are read at once are both cleared on the topic")
    func readAtOnce() throws {
        let world = try PushWorld()
        let group = try world.test.conversation(["alice", "bob"])
        let (first, second) = (try world.write(), MessageID.random())
        try settle(world) { try world.perform(send(group, id: second)) }
        try world.read(first)
        try world.perform(
            MarkRead.self, #"{"conversation_id":"\#(group)","message_id":"\#(second)"}"#, by: device("bob", "laptop"))
        let events = try world.step().events
        #expect(events == Array(repeating: "users/bob/notifications: notification.cleared", count: 2))
    }

    @Test("a number that a digest has shown is cleared by a process that comes later")
    func digestCleared() throws {
        let test = try TestWriter()
        try test.pushes.write { try $0.displays.set([(user: "bob", conversation: nil, seq: 0)]) }
        let next = try test.anotherWriter()
        try test.store.read { snapshot in
            try test.pushes.read(beside: snapshot) {
                try next.push.load(snapshot, $0, sharesDevices: test.pushes.isShared)
            }
        }
        #expect(next.push.mayDisplay("bob"))
    }

    @Test("what takes away one message is not given up for what takes away another")
    func deletedOneAfterTheOther() throws {
        let world = try PushWorld()
        try world.registerWithFCM()
        var messages: [MessageID] = []
        try settle(world) { for _ in 1...3 { messages.append(try world.write()) } }
        try world.delete(messages[2])
        try world.delete(messages[1])
        let begun = try world.step().begun
        #expect(begun.map(\.message) == [messages[2]])
        try world.step(outcomes: world.outcomes(begun, .later(PushProblem(status: 503, "HTTP 503"), after: nil)))
        #expect(try world.text("SELECT count(*) FROM jobs") == "2")
    }

    @Test("what has disappeared is shown no more, and many that go together are told of once")
    func disappeared() throws {
        let world = try PushWorld()
        try settle(world) { for _ in 1...3 { try world.write(expiresIn: 60) } }
        let now = at(.seconds(61))
        world.test.writer.run(ExpiryDuty.self, now: now)
        let cleared = try world.sent(now: now)
        #expect(cleared.map(\.type) == [.known(.clear)] && cleared.map(\.badge) == [.counted(0)])
        #expect(cleared.map(\.subject.seq) == [3])
        #expect(try world.text("SELECT count(*) FROM jobs") == "0")
        #expect(try world.text("SELECT count(*) FROM displayed") == "0")
    }

    @Test(
        "who comes out of a group is shown nothing of it any more",
        arguments: [
            (LeaveGroup.self, "", device("bob", "laptop")),
            (RemoveGroupMember.self, #","user_id":"bob""#, device("alice", "phone")),
            (DeleteGroup.self, "", device("alice", "phone")),
        ] as [(any Command.Type, String, DeviceAddress)])
    func departed(kind: any Command.Type, member: String, sender: DeviceAddress) throws {
        let world = try PushWorld()
        let group = GroupID.random()
        let conversation = try world.test.group(["alice", "bob"], id: group)
        try settle(world) { try world.perform(send(conversation)) }
        try world.perform(kind, #"{"group_id":"\#(group)"\#(member)}"#, by: sender)
        let begun = try world.step().begun
        #expect(begun.map(\.device) == [device("bob", "phone")])
        let notification = try #require(try world.build(begun).deliveries.first).notification
        #expect(notification.type == .known(.clear) && notification.badge == .counted(0))
        #expect(notification.subject.conversation == conversation)
        #expect(try world.text("SELECT count(*) FROM displayed") == "0")
    }

    /// What was written is sent to all who are to be notified of it.
    private func settle(_ world: PushWorld, after write: () throws -> Void) throws {
        try write()
        var begun = try world.step().begun
        while !begun.isEmpty {
            begun = try world.step(outcomes: world.outcomes(begun, .accepted(status: 200))).begun
        }
    }
}
