import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Notifications from what causes them to the feed and the devices of whom they concern.
@Suite("The notification feed")
struct NotificationFeedTests {
    private let world: SocialWorld
    private let group: ConversationID
    private let message = MessageID.random()

    /// alice has written a message in a group of alice, bob and carol.
    init() throws {
        world = try SocialWorld()
        group = try world.test.conversation(["alice", "bob", "carol"])
        world.test.carryOut([try send(group, id: message)])
    }

    private func react(
        _ user: UserID, to message: MessageID? = nil, in conversation: ConversationID? = nil, now: Timestamp = at(0)
    ) throws -> SocialWorld.Result {
        let reaction = try change(
            .reaction, message ?? self.message, in: conversation ?? group, from: device(user, "phone"))
        return try world.result(of: reaction, now: now)
    }

    private func feed(of user: UserID) throws -> [FeedNotification] { try world.feed(of: user).items }

    private func unread(_ user: UserID) throws -> Int { try world.feed(of: user).unreadCount }

    private func markRead(_ user: UserID, _ json: String) throws -> SocialWorld.Result {
        try world.ask(MarkNotificationsRead.self, by: user, json)
    }

    private static let new = "users/alice/notifications: notification.new"
    private static let cleared = "users/alice/notifications: notification.cleared"

    @Test("a reaction notifies the sender of its message, once for each who reacts until they have read of it")
    func reactions() throws {
        #expect(try react("bob").events == ["conversations/\(group)/messages: message.reaction", Self.new])
        #expect(try react("bob").events == ["conversations/\(group)/messages: message.reaction"])
        #expect(try react("carol").events.contains(Self.new))
        // Not for one's own.
        #expect(try react("alice").events == ["conversations/\(group)/messages: message.reaction"])
        let feed = try feed(of: "alice")
        #expect(feed.map(\.actor) == ["carol", "bob"] && feed.allSatisfy { $0.type == .known(.reaction) })
        #expect(
            feed.map(\.subject)
                == Array(repeating: NotificationSubject(conversation: group, seq: 1, message: message), count: 2))
        #expect(feed.allSatisfy { !$0.isRead && $0.expiresAt == at(.days(7)) })
        #expect(try self.feed(of: "bob").isEmpty && self.feed(of: "carol").isEmpty)
    }

    @Test("what is added later has an id that sorts later, so that many lie side by side where they are stored")
    func ordered() throws {
        var ids: [NotificationID] = []
        for seconds in [0, 1, 3000] {
            let other = MessageID.random()
            world.test.carryOut([try send(group, id: other)])
            _ = try react("bob", to: other, now: at(.seconds(seconds)))
            ids.append(try #require(try feed(of: "alice").first).id)
            _ = try markRead("alice", #"{"all":true}"#)
        }
        #expect(ids.map { "\($0)" } == ids.map { "\($0)" }.sorted() && Set(ids).count == 3)
    }

    @Test("repeats within one batch are one")
    func repeatsInOneBatch() throws {
        let both = try (0..<2).map { _ in try change(.reaction, message, in: group, from: device("bob", "phone")) }
        let events = try world.test.carryOut(both).effects.outgoing.events
        #expect(events.count { $0.event == "notification.new" } == 1)
    }

    @Test("a reaction names the message that was last reacted to, in one batch or in several, and is as new as that")
    func lastMessage() throws {
        let others = [MessageID.random(), .random()]
        world.test.carryOut(try others.map { try send(group, id: $0) })
        let both = try [message, others[0]].map {
            try change(.reaction, $0, in: group, from: device("bob", "phone"))
        }
        let events = try world.test.carryOut(both).effects.outgoing.events
        #expect(events.count { $0.event == "notification.new" } == 1)
        let first = try #require(try feed(of: "alice").first)
        #expect(first.subject == NotificationSubject(conversation: group, seq: 2, message: others[0]))
        #expect(try react("carol", now: at(1000)).events.contains(Self.new))
        #expect(try !react("bob", to: others[1], now: at(.seconds(3600))).events.contains(Self.new))
        let feed = try feed(of: "alice")
        #expect(feed.map(\.actor) == ["bob", "carol"] && feed.first?.id == first.id)
        #expect(feed.first?.subject == NotificationSubject(conversation: group, seq: 3, message: others[1]))
        #expect(feed.first?.createdAt == at(.seconds(3600)) && feed.first?.expiresAt == at(.days(7) + .seconds(3600)))
        // The first was there for seven days, the last was not.
        world.test.writer.run(FeedRemovalDuty.self, now: at(.days(7) + .seconds(2)))
        #expect(try self.feed(of: "alice").map(\.id) == [first.id])
    }

    @Test("whom the user has blocked causes none, and what they caused is not there while the block stands")
    func blocked() throws {
        _ = try react("bob")
        try world.ask(Block.self, by: "alice", of: "bob")
        #expect(try feed(of: "alice").isEmpty && unread("alice") == 0)
        let other = MessageID.random()
        world.test.carryOut([try send(group, id: other)])
        #expect(try !react("bob", to: other).events.contains(Self.new))
        try world.ask(Unblock.self, by: "alice", of: "bob")
        #expect(try feed(of: "alice").map(\.subject.message) == [message])
        _ = try markRead("alice", #"{"all":true}"#)
        // Who has blocked the user causes them, as they are heard in the group.
        try world.ask(Block.self, by: "bob", of: "alice")
        #expect(try react("bob", to: other).events.contains(Self.new))
    }

    @Test("a reaction that is withheld from the sender of its message does not notify them")
    func withheld() throws {
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        let (id, direct) = (MessageID.random(), try ConversationID.direct(["alice", "bob"]))
        try world.write("alice", to: "bob", id: id)
        try world.ask(Block.self, by: "alice", of: "bob")
        _ = try react("bob", to: id, in: direct)
        try world.ask(Unblock.self, by: "alice", of: "bob")
        #expect(try feed(of: "alice").isEmpty)
        #expect(try react("bob", to: id, in: direct).events.contains(Self.new))
    }

    @Test("who has left hears of no reaction to what they wrote")
    func departed() throws {
        let names = #"{"conversation_id":"\#(group)"}"#
        try world.ask(LeaveConversation.self, by: "alice", names)
        #expect(try !react("bob").events.contains(Self.new))
        #expect(try feed(of: "alice").isEmpty)
    }

    @Test("a reaction in a conversation that its owner has muted does not notify them, as long as they have")
    func muted() throws {
        func mute(_ user: UserID, _ json: String) throws {
            try world.ask(UpdateConversation.self, by: user, #"{"conversation_id":"\#(group)",\#(json)}"#)
        }
        try mute("carol", #""is_muted":true"#)
        #expect(try react("bob").events.contains(Self.new))
        try mute("alice", #""is_muted":true,"muted_until":"\#(at(5000))""#)
        let muted = try react("carol", now: at(4999))
        #expect(muted.code == nil && !muted.events.contains(Self.new))
        #expect(try feed(of: "alice").count == 1)
        #expect(try react("carol", now: at(5000)).events.contains(Self.new))
        try mute("alice", #""is_muted":true"#)
        let other = MessageID.random()
        world.test.carryOut([try send(group, id: other)])
        #expect(try !react("bob", to: other, now: at(9000)).events.contains(Self.new))
        // What somebody may be waiting for comes all the same.
        #expect(try world.makeChallenge(.random(), in: group, by: "carol", to: "alice").events.contains(Self.new))
    }

    @Test("a message request notifies whom it asks, and one that is hidden from them does not")
    func messageRequests() throws {
        let direct = try ConversationID.direct(["alice", "bob"])
        let asked = try world.askToWrite(by: "bob", to: "alice")
        #expect(asked.events.contains(Self.new) && asked.events.contains("users/alice/events: message.request"))
        let feed = try feed(of: "alice")
        #expect(feed.map(\.type) == [.known(.messageRequest)] && feed.first?.actor == "bob")
        #expect(feed.first?.subject == NotificationSubject(conversation: direct))
        try world.ask(Block.self, by: "alice", of: "carol")
        #expect(try !world.askToWrite(by: "carol", to: "alice").events.contains(Self.new))
        #expect(try self.feed(of: "alice").count == 1)
    }

    @Test("reading clears the other devices, and reading again says nothing")
    func reading() throws {
        _ = try react("bob")
        _ = try react("carol")
        #expect(try unread("alice") == 2)
        let last = try #require(try feed(of: "alice").first)
        let some = try markRead("alice", #"{"ids":["\#(last.id)","\#(NotificationID.random())"]}"#)
        #expect(some.events == [Self.cleared] && some.reply.data["unread_count"] as? Int == 1)
        #expect(try feed(of: "alice").map(\.isRead) == [true, false])
        #expect(try markRead("alice", #"{"ids":["\#(last.id)"]}"#).events.isEmpty)
        let all = try markRead("alice", #"{"all":true}"#)
        #expect(all.events == [Self.cleared] && all.reply.data["unread_count"] as? Int == 0)
        #expect(try markRead("alice", #"{"all":true}"#).events.isEmpty && unread("alice") == 0)
    }

    @Test("nobody reads what is another's")
    func foreign() throws {
        _ = try react("bob")
        let id = try #require(try feed(of: "alice").first).id
        let result = try markRead("carol", #"{"ids":["\#(id)"]}"#)
        #expect(result.code == nil && result.events.isEmpty)
        try expectSame(result.reply.data, try markRead("carol", #"{"ids":["\#(NotificationID.random())"]}"#).reply.data)
        #expect(try unread("alice") == 1)
    }

    private func expectSame(_ one: [String: Any], _ other: [String: Any]) throws {
        #expect(one.keys == other.keys && one["unread_count"] as? Int == other["unread_count"] as? Int)
    }

    @Test("the badge is counted when it is published, and that of now is in the list")
    func badge() throws {
        world.test.carryOut([try send(group, from: device("bob", "phone"))])
        let reaction = try change(.reaction, message, in: group, from: device("bob", "phone"))
        var outgoing = world.test.writer.carryOut([reaction], now: at(0)).effects.outgoing
        #expect(outgoing.unreadScopes == [.badge(of: "alice", at: at(0))])
        world.test.carryOut([try send(group, from: device("carol", "phone"))])
        try world.test.countUnread(in: &outgoing)
        let event = try #require(try outgoing.events.first { $0.event == "notification.new" })
        #expect(event.data["badge"] as? Int == 2)
        #expect(try feed(of: "alice").first?.badge == .counted(2))
    }

    @Test("what has been there for seven days goes, by a time without steps, in whatever process")
    func removal() throws {
        _ = try react("bob")
        let week = Duration.days(7)
        world.test.writer.run(FeedRemovalDuty.self, now: at(week - .milliseconds(1)))
        #expect(try feed(of: "alice").count == 1)
        // The time of day is set ahead: nothing goes before its time.
        world.test.writer.clockOffset = week.inMilliseconds
        world.test.writer.run(FeedRemovalDuty.self, now: at(week + .seconds(60)))
        #expect(try feed(of: "alice").count == 1)
        world.test.writer.clockOffset = 0
        let next = try world.test.anotherWriter()
        next.run(FeedRemovalDuty.self, now: at(week))
        #expect(try feed(of: "alice").isEmpty)
    }

    @Test("more than goes at once goes in parts")
    func removalInParts() throws {
        try world.test.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO notifications SELECT 'alice', i, CAST(printf('%016d', i) AS BLOB), 'reaction', 'bob',
                CAST('{}' AS BLOB), NULL, 0, 0, 0, \(at(0).milliseconds) FROM n
            """)
        world.test.writer.run(FeedRemovalDuty.self, now: at(0))
        #expect(try unread("alice") == 244)
        // Not at once, so that the batch behind it is not held up again.
        world.test.writer.run(FeedRemovalDuty.self, now: at(1))
        #expect(try unread("alice") == 244)
        world.test.writer.run(FeedRemovalDuty.self, now: at(200))
        #expect(try unread("alice") == 0)
    }

    @Test("what a timer notifies of is one with what it writes")
    func timers() throws {
        let group = GroupID.random()
        let (_, effects) = try world.test.writer.write(now: at(0)) { batch in
            for user in ["alice", "bob"] as [UserID] { batch.feed.notify(user, .weekEnded("2026-W03", in: group)) }
            batch.feed.notify("alice", .rankChange(onBoard: "streak", of: group, week: "2026-W03", passedBy: "bob"))
        }
        #expect(try effects.outgoing.events.map(\.event) == Array(repeating: "notification.new", count: 3))
        #expect(try feed(of: "alice").map(\.type) == [.known(.rankChange), .known(.weekEnded)])
        func pass(at time: Timestamp) throws -> Int {
            try world.test.writer.write(now: time) { batch in
                batch.feed.notify(
                    "alice", .rankChange(onBoard: "streak", of: group, week: "2026-W03", passedBy: "carol"))
            }.1.outgoing.items.count
        }
        #expect(try pass(at: at(.seconds(3599))) == 0 && pass(at: at(.seconds(3600))) == 1)
        #expect(try feed(of: "alice").count == 3)
    }

    @Test("a transaction that fails notifies nobody")
    func failure() throws {
        struct Planned: Error {}
        #expect(throws: StoreError.self) {
            try world.test.writer.write(now: at(0)) { batch throws(StoreError) in
                batch.feed.notify("alice", .weekEnded("2026-W03", in: .random()))
                throw StoreError(Planned())
            }
        }
        #expect(try feed(of: "alice").isEmpty)
    }
}
