import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// What a message request has left in the feed of whom it asks, once there is nothing to answer any more.
@Suite("Notifications of requests that are answered", .onEveryStore)
struct AnsweredRequestTests {
    private let world: SocialWorld
    private let conversation: String
    private static let new = "users/alice/notifications: notification.new"
    private static let cleared = "users/alice/notifications: notification.cleared"

    /// bob asks to write to alice.
    init() throws {
        world = try SocialWorld { $0.requestRenewalDays = 0 }
        conversation = try direct("alice", "bob")
        try world.askToWrite(by: "bob", to: "alice")
    }

    private func answer(_ way: String) throws -> SocialWorld.Result {
        switch way {
        case "accepted": try world.ask(AcceptRequest.self, by: "alice", conversation)
        case "declined": try world.ask(DeclineRequest.self, by: "alice", conversation)
        case "answered": try world.write("alice", to: "bob")
        case "blocked": try world.ask(Block.self, by: "alice", of: "bob")
        default:
            try world.ask(Follow.self, by: "alice", of: "bob")
        }
    }

    @Test(
        "a request is read on all devices when it is answered, whichever way, once",
        arguments: ["accepted", "declined", "answered", "followed back", "blocked"])
    func answered(way: String) throws {
        try world.ask(Follow.self, by: "bob", of: "alice")
        #expect(try world.feed(of: "alice").unreadCount == 1)
        let answered = try answer(way)
        #expect(answered.code == nil && answered.events.filter { $0 == Self.cleared }.count == 1)
        #expect(try world.feed(of: "alice").unreadCount == 0)
        if way == "blocked" { try world.ask(Unblock.self, by: "alice", of: "bob") }
        let items = try world.feed(of: "alice").items
        #expect(items.map(\.type) == [.known(.messageRequest)] && items.allSatisfy(\.isRead))
        #expect(try !answer(way).events.contains(Self.cleared))
    }

    @Test("the event names the notification, and says how many are unread")
    func event() throws {
        let id = try #require(try world.feed(of: "alice").items.first).id
        let outgoing = world.test.carryOut([
            try request(AcceptRequest.self, conversation, from: device("alice", "phone"))
        ]).effects.outgoing
        let event = try #require(try outgoing.published.first { $0.event == "notification.cleared" })
        #expect(event.data["ids"] as? [String] == ["\(id)"] && event.data["unread_count"] as? Int == 0)
    }

    @Test("what was read before is not announced again")
    func readBefore() throws {
        try world.ask(MarkNotificationsRead.self, by: "alice", #"{"all":true}"#)
        #expect(try !answer("declined").events.contains(Self.cleared))
    }

    @Test("one who asks takes it back, and nothing is told to whom they have asked")
    func takenBack() throws {
        for act in [
            try request(DeclineRequest.self, conversation, from: device("bob", "phone")),
            try request(Block.self, #"{"user_id":"alice"}"#, from: device("bob", "phone")),
        ] {
            #expect(try world.result(of: act).events.allSatisfy { !$0.hasPrefix("users/alice/") })
        }
        #expect(try world.feed(of: "alice").unreadCount == 1)
    }

    @Test("a request that is answered in the batch in which it was made is in no feed")
    func sameBatch() throws {
        try world.create(by: "carol", with: "alice")
        let carols = try ConversationID.direct(["alice", "carol"])
        let events = try world.test.carryOut([
            try send(carols, from: device("carol", "phone")),
            try request(DeclineRequest.self, #"{"conversation_id":"\#(carols)"}"#, from: device("alice", "phone")),
        ]).effects.outgoing.events.map(\.event)
        #expect(events.contains("message.request") && !events.contains("notification.new"))
        #expect(!events.contains("notification.cleared"))
        #expect(try world.feed(of: "alice").items.count == 1)
    }

    @Test("a further request, of a time when the first was answered, notifies again")
    func furtherRequest() throws {
        try world.ask(Follow.self, by: "bob", of: "alice")
        try world.ask(Follow.self, by: "alice", of: "bob")
        try world.ask(Unfollow.self, by: "alice", of: "bob")
        #expect(try world.write("bob", to: "alice", now: at(.days(6))).events.contains(Self.new))
        #expect(try world.feed(of: "alice").items.map(\.isRead) == [false, true])
    }
}
