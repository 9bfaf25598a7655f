import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("Summaries of friends")
struct SummaryTests {
    private let world: SocialWorld

    init() throws { world = try SocialWorld() }

    private func summary(_ user: UserID, by caller: UserID) throws -> Published {
        try world.read(GetSummary.self, by: caller, #"{"user_id":"\#(user)"}"#)
    }

    @Test("a summary is for friends, and for its user")
    func forFriends() throws {
        #expect(try summary("alice", by: "alice").isOK == true)
        #expect(try summary("alice", by: "bob").code == "forbidden")
        #expect(try summary("nobody", by: "bob").code == "not_found")
        try world.befriend("alice", "bob")
        #expect(try summary("alice", by: "bob").data["user_id"] as? String == "alice")
        // Who was blocked is answered like any stranger.
        try world.ask(Block.self, by: "alice", of: "bob")
        #expect(try summary("alice", by: "bob").payload == summary("alice", by: "carol").payload)
        #expect(try summary("alice", by: "bob").code == "forbidden" && summary("bob", by: "alice").code == "forbidden")
    }

    @Test("it has the newest of what was achieved")
    func achievements() throws {
        for number in 0..<12 {
            let json = #"{"id":"\#(ActivityID.random())","type":"plan_completed","title":"\#(number)"}"#
            try world.ask(PostActivity.self, by: "alice", json)
        }
        let data = try #require(try JSONObject(parsing: summary("alice", by: "alice").payload).object("data"))
        let read = try FriendSummary(reading: data)
        #expect(read.achievements.map(\.title) == (2..<12).reversed().map(String.init))
    }
}
