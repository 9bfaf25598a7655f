import ParleyProtocol
import ParleyPush
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("What is taken away of what devices show")
struct PushClearingTests {
    @Test("reading on one device clears the others, with the number that is left, on the topic too")
    func cleared() throws {
        let world = try PushWorld()
        try world.register("bob", "laptop", endpoint: nil)
        let first = try world.write()
        let second = try world.write()
        let begun = try world.step().result.begun
        try world.step(outcomes: world.outcomes(begun, .accepted(status: 200)))
        try world.test.execute("DELETE FROM push_jobs")
        try world.read(first, on: "phone")
        let step = try world.step()
        #expect(step.events == ["users/bob/notifications: notification.cleared"])
        #expect(step.result.begun.map(\.device) == [device("bob", "laptop")])
        let notification = try #require(try world.build(step.result.begun).deliveries.first).notification
        #expect(notification.type == .known(.clear) && notification.badge == .counted(1))
        #expect(notification.subject.seq == 1 && notification.message == nil)
        try world.read(second, on: "phone")
        #expect(try world.step().events.count == 1)
        #expect(try world.test.text("SELECT count(*) FROM push_shown") == "0")
    }

    @Test("nothing is cleared for who was not notified")
    func nothingShown() throws {
        let world = try PushWorld()
        world.people.arrive("bob")
        let message = try world.write()
        try world.read(message)
        #expect(try world.test.text("SELECT count(*) FROM push_events") == "0")
    }

    /// Something that somebody does.
    struct Act: CustomTestStringConvertible {
        let testDescription: String
        let sender: DeviceAddress
        let kind: any Command.Type
        /// Of the request, given the conversation.
        let json: @Sendable (ConversationID) -> String
        /// What each of bob's devices is told to take away up to this place, and the number that it shows from then on.
        let cleared: [DeviceID]
        let badge: Int
    }

    private static let acts: [Act] = [
        Act(
            testDescription: "the last message is deleted by who sent it", sender: device("alice", "phone"),
            kind: DeleteMessage.self,
            json: { conversation in
                #"{"id":"\#(MessageID.random())","conversation_id":"\#(conversation)","message_id":"\#(last)"}"#
            },
            cleared: ["laptop", "phone"], badge: 1),
        Act(
            testDescription: "it is muted", sender: device("bob", "phone"), kind: UpdateConversation.self,
            json: { #"{"conversation_id":"\#($0)","is_muted":true}"# }, cleared: ["laptop"], badge: 0),
        Act(
            testDescription: "it is archived", sender: device("bob", "phone"), kind: UpdateConversation.self,
            json: { #"{"conversation_id":"\#($0)","is_archived":true}"# }, cleared: ["laptop"], badge: 0),
        Act(
            testDescription: "who sent it is blocked", sender: device("bob", "laptop"), kind: Block.self,
            json: { _ in #"{"user_id":"alice"}"# }, cleared: ["phone"], badge: 2),
    ]

    private static let last = MessageID(UUIDValue(high: 7, low: 7))

    @Test("what is deleted, muted, archived or blocked is shown no more", arguments: acts)
    func takenAway(_ act: Act) throws {
        let world = try shown()
        let json = act.json(try .direct(["alice", "bob"]))
        let reply = try world.social.result(of: request(act.kind, json, from: act.sender))
        #expect(reply.code == nil)
        let step = try world.step()
        #expect(step.events == ["users/bob/notifications: notification.cleared"])
        let deliveries = try world.build(step.result.begun).deliveries.map(\.notification)
        #expect(deliveries.compactMap(\.device).sorted { $0.text < $1.text } == act.cleared)
        #expect(deliveries.allSatisfy { $0.type == .known(.clear) && $0.badge == .counted(act.badge) })
        #expect(deliveries.allSatisfy { ($0.subject.seq ?? 0) >= 2 })
        #expect(try world.test.text("SELECT count(*) FROM push_events") == "0")
    }

    @Test("an earlier message that is deleted changes the number, and leaves what is shown")
    func earlierDeleted() throws {
        let world = try PushWorld()
        let first = try world.write()
        try settle(world, after: { try world.write() })
        let conversation = try ConversationID.direct(["alice", "bob"])
        try world.social.ask(
            DeleteMessage.self, by: "alice",
            #"{"id":"\#(MessageID.random())","conversation_id":"\#(conversation)","message_id":"\#(first)"}"#)
        let notification = try #require(try world.build(world.step().result.begun).deliveries.first).notification
        #expect(notification.type == .known(.clear) && notification.subject.seq == 1)
        #expect(notification.badge == .counted(1))
        #expect(try world.test.text("SELECT seq FROM push_shown") == "2")
    }

    @Test("what has disappeared is shown no more")
    func disappeared() throws {
        let world = try PushWorld()
        try settle(world, after: { try world.write(expiresIn: 60) })
        world.test.writer.removeExpired(now: at(.seconds(61)))
        let step = try world.step(now: at(.seconds(61)))
        let notification = try #require(
            try world.build(step.result.begun, now: at(.seconds(61))).deliveries.first
        ).notification
        #expect(notification.type == .known(.clear) && notification.badge == .counted(0))
        #expect(try world.test.text("SELECT count(*) FROM push_shown") == "0")
    }

    /// How somebody comes out of a group: by which device's request, about whom.
    enum Departure: CaseIterable {
        case leaves, isRemoved, groupIsDeleted

        func request(_ group: GroupID) throws -> IncomingCommand {
            let (alice, bob) = (device("alice", "phone"), device("bob", "laptop"))
            return switch self {
            case .leaves: try ParleyBridgeTests.request(LeaveGroup.self, #"{"group_id":"\#(group)"}"#, from: bob)
            case .isRemoved:
                try ParleyBridgeTests.request(
                    RemoveGroupMember.self, #"{"group_id":"\#(group)","user_id":"bob"}"#, from: alice)
            case .groupIsDeleted:
                try ParleyBridgeTests.request(DeleteGroup.self, #"{"group_id":"\#(group)"}"#, from: alice)
            }
        }
    }

    @Test("who comes out of a group is shown nothing of it any more", arguments: Departure.allCases)
    func departed(_ departure: Departure) throws {
        let world = try PushWorld()
        let group = GroupID.random()
        let conversation = try world.test.group(["alice", "bob"], id: group)
        try settle(world) {
            let reply = try world.social.result(of: send(conversation))
            #expect(reply.code == nil)
        }
        #expect(try world.social.result(of: departure.request(group)).code == nil)
        let begun = try world.step().result.begun
        #expect(begun.map(\.device) == [device("bob", "phone")])
        let notification = try #require(try world.build(begun).deliveries.first).notification
        #expect(notification.type == .known(.clear) && notification.badge == .counted(0))
        #expect(notification.subject.conversation == conversation)
        #expect(try world.test.text("SELECT count(*) FROM push_shown") == "0")
    }

    /// Two messages of alice's are shown on bob's phone and his laptop.
    private func shown() throws -> PushWorld {
        let world = try PushWorld()
        try world.register("bob", "laptop", endpoint: nil)
        try settle(world) {
            try world.write()
            try world.write(id: PushClearingTests.last)
        }
        return world
    }

    /// What was written is sent to all who are to be notified of it.
    private func settle(_ world: PushWorld, after write: () throws -> Void) throws {
        try write()
        var begun = try world.step().result.begun
        while !begun.isEmpty {
            begun = try world.step(outcomes: world.outcomes(begun, .accepted(status: 200))).result.begun
        }
    }
}
