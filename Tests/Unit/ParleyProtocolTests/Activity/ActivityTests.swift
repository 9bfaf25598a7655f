import ParleyProtocol
import Testing

@Suite("Activity in JSON")
struct ActivityTests {
    private static let time = "2026-01-15T09:30:00.000Z"
    private static let id = "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d"
    private let alice = UserID(validated: "alice")
    private let bob = UserID(validated: "bob")

    private func item(_ reactions: [UserID: String] = [:], description: String? = nil) throws -> ActivityItem {
        ActivityItem(
            id: try #require(ActivityID(Self.id)), user: alice, type: .known(.goalReached), title: "5 \"km\"",
            description: description, metadata: Array(#"{"km":5}"#.utf8),
            timestamp: try #require(Timestamp(Self.time)), reactions: reactions)
    }

    @Test("an item has its reactions by user, and its user before whatever they have written")
    func items() throws {
        let item = try item([bob: "👏", alice: "❤️"])
        let text =
            #"{"id":"\#(Self.id)","user_id":"alice","type":"goal_reached","title":"5 \"km\"","description":null,"#
            + #""metadata":{"km":5},"timestamp":"\#(Self.time)","reactions":{"alice":"❤️","bob":"👏"}}"#
        #expect(String(decoding: item.json, as: UTF8.self) == text)
        #expect(try ActivityItem(json: item.json) == item)
        let bare = try self.item(description: "done")
        #expect(try ActivityItem(json: bare.json) == bare)
    }

    @Test(
        "reactions of who cannot be, or that are no text, are refused",
        arguments: [#"{"a/b":"x"}"#, #"{"bob":1}"#, #"{"bob":null}"#, "[]", "1"])
    func badReactions(json: String) throws {
        let good = String(decoding: try item().json, as: UTF8.self)
        let bad = good.replacing(#""reactions":{}"#, with: #""reactions":\#(json)"#)
        #expect(throws: ReadingError.self) { try ActivityItem(json: Array(bad.utf8)) }
        #expect(try ActivityItem(json: Array(good.utf8)).reactions.isEmpty)
    }

    @Test("events of activity are believed on the topic of whose it is, and nowhere else")
    func events() throws {
        let item = try item()
        func isRead<E: PublishedEvent>(_ event: E, on topic: Topic) throws -> Bool {
            try EventTable.read(JSONWriter.bytes(event.writeEvent), on: topic) as? E == event
        }
        #expect(try isRead(item, on: .user(alice, .activity)))
        for topic in [Topic.user(bob, .activity), .user(alice, .events)] {
            #expect(throws: ReadingError.self) { try isRead(item, on: topic) }
        }
        for emoji in ["👏", nil] {
            let reaction = ActivityReaction(item: item.id, user: bob, owner: alice, emoji: emoji, at: item.timestamp)
            #expect(try isRead(reaction, on: .user(alice, .activity)))
            for topic in [Topic.user(bob, .activity), .user(alice, .notifications)] {
                #expect(throws: ReadingError.self) { try isRead(reaction, on: topic) }
            }
        }
    }

    @Test("a summary has numbers where they are known, and what was achieved")
    func summaries() throws {
        let summary = FriendSummary(
            user: alice, numbers: FriendSummary.Numbers(steps: 12, streakDays: 0), achievements: .values([try item()]))
        #expect(try FriendSummary(json: summary.json) == summary)
        #expect(String(decoding: summary.json, as: UTF8.self).contains(#""steps":12,"calories":null,"#))
    }
}
