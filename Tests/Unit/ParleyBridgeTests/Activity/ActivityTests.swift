import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What people post, and who of the others sees it, reacts to it and hears of it.
@Suite("Activity", .onEveryStore)
struct ActivityTests {
    private let world: SocialWorld
    private let id = ActivityID.random()

    /// alice and bob are friends, and so are alice and carol.
    init() throws {
        world = try SocialWorld {
            $0.activitiesPerHour = 5
            $0.activityReactionsPerHour = 6
        }
        try world.befriend("alice", "bob")
        try world.befriend("alice", "carol")
    }

    @discardableResult
    private func post(
        _ user: UserID, id: ActivityID? = nil, title: String = "5 km", more: String = "", now: Timestamp = at(0)
    ) throws -> SocialWorld.Result {
        let json = #"{"id":"\#(id ?? self.id)","type":"goal_reached","title":"\#(title)"\#(more)}"#
        return try world.ask(PostActivity.self, by: user, json, now: now)
    }

    @discardableResult
    private func react(_ user: UserID, _ emoji: String = "👏", to id: ActivityID? = nil) throws -> SocialWorld.Result {
        try world.ask(ReactToActivity.self, by: user, #"{"id":"\#(id ?? self.id)","emoji":"\#(emoji)"}"#)
    }

    @discardableResult
    private func unreact(_ user: UserID) throws -> SocialWorld.Result {
        try world.ask(UnreactToActivity.self, by: user, #"{"id":"\#(id)"}"#)
    }

    private func list(_ user: UserID, of other: UserID? = nil) throws -> Published {
        try world.read(ListActivity.self, by: user, other.map { #"{"user_id":"\#($0)"}"# } ?? "{}")
    }

    private func items(_ user: UserID, of other: UserID? = nil) throws -> [ActivityItem] {
        try list(user, of: other).value(ListPage<ActivityItem>.self).items
    }

    private static let new = "users/alice/activity: activity.new"
    private static let reaction = "users/alice/activity: activity.reaction"

    @Test("what somebody posts is theirs and their friends' to see, and nobody else's")
    func posting() throws {
        let posted = try post("alice", more: #","description":"at last","metadata":{"km":5}"#)
        #expect(posted.events == [Self.new] && posted.code == nil)
        let expected = ActivityItem(
            id: id, user: "alice", type: .known(.goalReached), title: "5 km", description: "at last",
            metadata: Array(#"{"km":5}"#.utf8), timestamp: at(0))
        #expect(try items("alice") == [expected] && items("bob") == [expected])
        #expect(try items("bob", of: "alice") == [expected])
        try world.ask(Unfollow.self, by: "alice", of: "bob")
        #expect(try items("bob").isEmpty && list("bob", of: "alice").code == "forbidden")
        #expect(try list("bob", of: "nobody").code == "not_found" && list("bob", of: "operator").code == "not_found")
        #expect(try react("bob").code == "not_found")
    }

    @Test("too many items are refused, and repeats are none")
    func limits() throws {
        for _ in 0..<5 { #expect(try post("alice", id: .random()).code == nil) }
        #expect(try post("alice", id: .random()).code == "rate_limited")
        #expect(try post("bob").code == nil && post("bob").code == nil)
        for emoji in ["👏", "❤️", "👏", "❤️", "👏", "❤️"] { #expect(try react("alice", emoji).code == nil) }
        #expect(try react("alice", "👏").code == "rate_limited" && unreact("alice").code == "rate_limited")
        #expect(try react("alice", "❤️").code == nil)
    }

    @Test("an operator achieves nothing, and sees nothing of it")
    func operators() throws {
        let console = device("operator", "console")
        let json = #"{"id":"\#(id)","type":"goal_reached","title":"5 km"}"#
        #expect(try world.result(of: request(PostActivity.self, json, from: console)).code == "forbidden")
        try post("alice")
        let query = try request(ListActivity.self, "{}", from: console)
        let page = try #require(try world.reader.answer(query, now: at(0)).published.first)
        #expect((page.data["items"] as? [Any])?.isEmpty == true)
    }

    @Test("a reaction takes the place of the one before, and is announced where it is another")
    func reactions() throws {
        try post("alice")
        let first = try react("bob")
        #expect(first.events == [Self.reaction, "users/alice/notifications: notification.new"])
        #expect(first.reply.data["reactions"] as? [String: String] == ["bob": "👏"])
        #expect(try react("bob").events.isEmpty)
        // Of another emoji the owner hears, and is not notified again.
        #expect(try react("bob", "❤️").events == [Self.reaction])
        #expect(try react("alice", "😀").events == [Self.reaction])
        #expect(try items("alice").map(\.reactions) == [["alice": "😀", "bob": "❤️"]])
        #expect(try unreact("bob").events == [Self.reaction] && unreact("bob").events.isEmpty)
        #expect(try items("bob").map(\.reactions) == [["alice": "😀"]])
        #expect(try react("bob", to: .random()).code == "not_found")
    }

    @Test("one sees the reactions of one's friends alone, and nothing of whom one has blocked")
    func foreignReactions() throws {
        try post("alice")
        try react("bob", "❤️")
        try react("carol", "😀")
        #expect(try items("bob").map(\.reactions) == [["bob": "❤️"]])
        #expect(try items("carol").map(\.reactions) == [["carol": "😀"]])
        try world.befriend("bob", "carol")
        #expect(try items("bob").map(\.reactions) == [["bob": "❤️", "carol": "😀"]])
        try world.ask(Block.self, by: "bob", of: "carol")
        #expect(try items("bob").map(\.reactions) == [["bob": "❤️"]])
        // The same for whoever was blocked, as after an unfollowing.
        #expect(try items("carol").map(\.reactions) == [["carol": "😀"]])
        try world.ask(Block.self, by: "alice", of: "carol")
        #expect(try items("alice").map(\.reactions) == [["bob": "❤️"]] && items("carol").isEmpty)
    }

    @Test("what the gateway makes is made once, and not of who shares nothing")
    func made() throws {
        func make(_ activity: NewActivity) throws -> [String?] {
            try world.test.writer.write(now: at(0)) { batch throws(StoreError) in
                try batch.feed.record(of: "alice", activity)
            }.1.outgoing.events.map(\.event)
        }
        #expect(try make(.streakMilestone(days: 3, since: "2026-01-15")) == ["activity.new"])
        #expect(try make(.streakMilestone(days: 3, since: "2026-01-15")).isEmpty)
        let challenge = ChallengeID.random()
        #expect(try make(.challengeWon(challenge, .steps, target: 10_000)) == ["activity.new"])
        #expect(try items("bob").map(\.title) == ["Challenge won", "3 days in a row"])
        try world.ask(ProfileChange.self, by: "alice", #"{"share_workout_data":false}"#)
        #expect(try make(.streakMilestone(days: 7, since: "2026-01-15")).isEmpty)
        #expect(try items("bob").isEmpty && items("alice").count == 2)
        let hidden = try #require(try items("alice").first).id
        #expect(try react("bob", to: hidden).code == "not_found" && react("alice", to: hidden).code == nil)
    }

    @Test("what has been there for ninety days goes, and the reactions with it")
    func removal() throws {
        try post("alice")
        try react("bob")
        let writer = try world.test.anotherWriter()
        writer.run(FeedRemovalDuty.self, now: at(.days(90) - .milliseconds(1)))
        #expect(try items("alice").count == 1)
        try world.test.anotherWriter().run(FeedRemovalDuty.self, now: at(.days(90)))
        #expect(try items("alice").isEmpty)
    }
}
