import Foundation
import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Who follows whom: lists, counts, and cursors into them.
@Suite("Followers and friends", .onEveryStore)
struct PeopleTests {
    private let world: SocialWorld

    init() throws { world = try SocialWorld() }

    private func names(_ published: Published) -> [String] {
        (published.data["items"] as? [[String: Any]] ?? []).compactMap { $0["user_id"] as? String }
    }

    private func counts(_ published: Published) -> [Int?] {
        [published.data["followers_count"] as? Int, published.data["following_count"] as? Int]
    }

    @Test("a count changes when a row did, and only then")
    func countsFollowRows() throws {
        #expect(try counts(world.ask(Follow.self, by: "alice", of: "bob").reply) == [0, 1])
        #expect(try counts(world.ask(Follow.self, by: "alice", of: "bob").reply) == [0, 1])
        #expect(try counts(world.ask(Follow.self, by: "bob", of: "alice").reply) == [1, 1])
        #expect(try counts(world.read(GetProfile.self, by: "carol", #"{"user_id":"alice"}"#)) == [1, 1])
        #expect(try counts(world.ask(Unfollow.self, by: "alice", of: "bob").reply) == [1, 0])
        #expect(try counts(world.ask(Unfollow.self, by: "alice", of: "bob").reply) == [1, 0])
    }

    @Test("becoming friends and ceasing to be is told to both, and to the broker before")
    func friendshipIsToldToBoth() throws {
        #expect(try world.ask(Follow.self, by: "alice", of: "bob").events.isEmpty)
        let friends = try world.ask(Follow.self, by: "bob", of: "alice")
        #expect(friends.events == ["users/alice/events: friend.added", "users/bob/events: friend.added"])
        #expect(friends.audience == [.friends("alice", "bob")])
        #expect(try world.canMessage("alice", "bob") == "may: mutual_follow")
        let strangers = try world.ask(Unfollow.self, by: "bob", of: "alice")
        #expect(strangers.events == ["users/alice/events: friend.removed", "users/bob/events: friend.removed"])
        #expect(strangers.audience == [.friendsEnded("alice", "bob")])
    }

    /// To the blocker the blocked one is gone; to everybody else the blocker has unfollowed.
    @Test("while a block lasts its two are hidden as if the blocker had unfollowed")
    func blockHidesBoth() throws {
        try world.befriend("alice", "bob")
        try world.ask(Block.self, by: "alice", of: "bob")
        func see(_ viewer: UserID, _ owner: UserID) throws -> [[String]] {
            let user = #"{"user_id":"\#(owner)"}"#
            let profile = try counts(world.read(GetProfile.self, by: viewer, user)).map { "\($0 ?? -1)" }
            return [
                names(try world.read(ListFollowers.self, by: viewer, user)),
                names(try world.read(ListFollowing.self, by: viewer, user)), profile,
            ]
        }
        #expect(try see("alice", "alice") == [[], [], ["0", "0"]])
        #expect(try see("bob", "bob") == [[], ["alice"], ["0", "1"]])
        #expect(try see("bob", "alice") == [["bob"], [], ["1", "0"]])
        #expect(try see("carol", "alice") == [["bob"], [], ["1", "0"]])
        #expect(try see("carol", "bob") == [[], ["alice"], ["0", "1"]])
        #expect(try see("alice", "bob") == [[], [], ["0", "0"]])
        #expect(try names(world.read(ListBlocked.self, by: "alice")) == ["bob"])
        #expect(try names(world.read(ListBlocked.self, by: "bob")) == [])
        try world.ask(Unblock.self, by: "alice", of: "bob")
        #expect(try see("alice", "alice") == [["bob"], ["bob"], ["1", "1"]])
    }

    @Test("following somebody by whom one is blocked looks like following anybody, and they see nothing of it")
    func followingABlocker() throws {
        try world.ask(Block.self, by: "bob", of: "alice")
        let followed = try world.ask(Follow.self, by: "alice", of: "bob")
        #expect(counts(followed.reply) == [0, 1] && followed.events.isEmpty && followed.audience.isEmpty)
        #expect(try names(world.read(ListFollowers.self, by: "bob")) == [])
        #expect(try names(world.read(ListFollowers.self, by: "alice", #"{"user_id":"bob"}"#)) == ["alice"])
    }

    // MARK: Pages

    /// `alice` with so many followers, two of each instant.
    private func followed(by count: Int) throws -> SocialWorld {
        try world.test.store.write { transaction in
            for number in 0..<count {
                let user = UserID(stringLiteral: "fan\(100 + number)")
                try transaction.users.insert(user, role: .member, displayName: "F", at: at(0))
                let stranger = Contact(strangers: user, "alice")
                var fan = stranger
                try fan.follow(by: user)
                try transaction.contacts.update(stranger, to: fan, conversation: nil, at: at(Int64(number / 2)))
            }
        }
        return world
    }

    @Test("pages give everybody once, the newest first", arguments: [1, 2, 3, 7, 50])
    func pages(limit: Int) throws {
        let world = try followed(by: 21)
        var seen: [String] = []
        var cursor: String?
        repeat {
            let json = #"{"limit":\#(limit)\#(cursor.map { #","cursor":"\#($0)""# } ?? "")}"#
            let page = try world.read(ListFollowers.self, by: "alice", json)
            #expect(names(page).count <= limit && !names(page).isEmpty)
            seen += names(page)
            cursor = page.data["next_cursor"] as? String
        } while cursor != nil
        #expect(seen == (0..<21).map { "fan\(120 - $0)" })
    }

    @Test("requests are paged like people")
    func requestsArePaged() throws {
        try world.askToWrite(by: "alice", to: "carol", now: at(1))
        try world.askToWrite(by: "bob", to: "carol", now: at(2))
        let first = try world.read(ListRequests.self, by: "carol", #"{"limit":1}"#)
        #expect(names(first) == ["bob"])
        let cursor = try #require(first.data["next_cursor"] as? String)
        let second = try world.read(ListRequests.self, by: "carol", #"{"limit":1,"cursor":"\#(cursor)"}"#)
        #expect(names(second) == ["alice"] && second.data["next_cursor"] is NSNull)
    }
}
