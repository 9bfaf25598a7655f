import Foundation
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Whoever makes a direct conversation sees nothing of the other's having made it before, where nothing was written.
@Suite("A direct conversation that both users make")
struct MadeTwiceTests {
    private let world: SocialWorld

    init() throws { world = try SocialWorld() }

    private let fields = ["created_by", "created_at", "updated_at", "last_seq", "members"]

    /// What one is shown of a conversation, in every place where it is shown, but for its random epoch.
    private func shown(to user: UserID, _ world: SocialWorld, now: Timestamp) throws -> [String] {
        let id = try direct("alice", "bob")
        let list = try world.read(ListConversations.self, by: user, now: now).data["conversations"] as? [[String: Any]]
        let objects = [
            try world.read(GetConversation.self, by: user, id, now: now).data, try #require(list?.first),
        ]
        return try objects.map(text)
    }

    private func text(_ object: [String: Any]) throws -> String {
        let shown = object.filter { fields.contains($0.key) }
        #expect(shown.count == fields.count)
        return String(
            decoding: try JSONSerialization.data(withJSONObject: shown, options: .sortedKeys), as: UTF8.self)
    }

    private func made(by user: UserID, with other: UserID, _ world: SocialWorld, now: Timestamp) throws -> String {
        let result = try world.create(by: user, with: other, now: now)
        #expect(result.reply.isOK == true)
        return try text(result.reply.data)
    }

    @Test("the second to make it is shown what the first would be shown")
    func secondSeesWhatFirstWould() throws {
        let (known, twice) = (try SocialWorld(), try SocialWorld())
        let first = try made(by: "bob", with: "alice", known, now: at(90_000))
        try twice.create(by: "alice", with: "bob", now: at(10))
        let second = try made(by: "bob", with: "alice", twice, now: at(90_000))
        #expect(first == second)
        #expect(try shown(to: "bob", known, now: at(91_000)) == shown(to: "bob", twice, now: at(91_000)))
        // Once more is a repeat.
        #expect(try made(by: "bob", with: "alice", twice, now: at(95_000)) == second)
    }

    @Test("the events of making it are the same, and none is retained for whoever comes later")
    func eventsAreTheSame() throws {
        let (known, twice) = (try SocialWorld(), try SocialWorld())
        try twice.create(by: "alice", with: "bob", now: at(10))
        let events = try [known, twice].map { try $0.create(by: "bob", with: "alice", now: at(90_000)).events }
        #expect(events[0] == events[1] && events[0] == ["users/bob/events: conversation.created"])
        #expect(try twice.test.text("SELECT count(*) FROM outbox WHERE retain") == "0")
        #expect(
            try twice.test.text("SELECT payload FROM outbox ORDER BY position DESC LIMIT 1")?.contains("alice\",\"cr")
                == false)
    }

    @Test("the first to make it notices nothing of the second")
    func firstNoticesNothing() throws {
        try world.create(by: "alice", with: "bob", now: at(10))
        let before = try shown(to: "alice", world, now: at(80_000))
        try world.create(by: "bob", with: "alice", now: at(90_000))
        #expect(try shown(to: "alice", world, now: at(91_000)) == before)
        #expect(try made(by: "alice", with: "bob", world, now: at(92_000)) == before[0])
    }

    @Test("what was sent is of its time, and whoever was asked sees who has made it")
    func sentHasItsTime() throws {
        try world.askToWrite(by: "alice", to: "bob", now: at(10))
        let object = try world.create(by: "bob", with: "alice", now: at(90_000)).reply.data
        #expect(object["created_by"] as? String == "alice")
        #expect(object["created_at"] as? String == at(10).description)
    }

    @Test("one that was made by a stranger whom one has blocked is one's own")
    func strangersConversationIsOnesOwn() throws {
        try world.ask(Block.self, by: "bob", of: "alice")
        try world.askToWrite(by: "alice", to: "bob", now: at(10))
        let object = try world.create(by: "bob", with: "alice", now: at(90_000)).reply.data
        #expect(object["created_by"] as? String == "bob" && object["last_seq"] as? Int == 0)
        #expect(object["created_at"] as? String == at(90_000).description)
        #expect(object["updated_at"] as? String == at(90_000).description)
    }

    @Test("it has its place in the list by when one has made it")
    func placeInTheList() throws {
        try world.create(by: "alice", with: "bob", now: at(10))
        try world.create(by: "bob", with: "carol", now: at(600_000))
        try world.create(by: "bob", with: "alice", now: at(1_200_000))
        let list = try world.read(ListConversations.self, by: "bob", now: at(1_300_000)).data["conversations"]
        let ids = (list as? [[String: Any]])?.map { $0["id"] as? String }
        #expect(try ids == [ConversationID.direct(["alice", "bob"]), .direct(["bob", "carol"])].map(\.description))
    }
}
