import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Activity in the store", .onEveryStore)
final class ActivityQueriesTests: PeopleSuite {
    private let people: [UserID] = ["alice", "bob", "carol", "dave"]
    private let digest = [UInt8](repeating: 1, count: 16)

    /// alice has the friends bob and carol; dave follows alice, who does not follow dave.
    override init() throws {
        try super.init()
        for (one, other) in [
            ("alice", "bob"), ("bob", "alice"), ("alice", "carol"), ("carol", "alice"), ("dave", "alice"),
        ] {
            try store.execute("INSERT INTO follows VALUES ('\(one)', '\(other)', 0)")
        }
    }

    /// - Parameter time: without it, the number.
    private func item(
        _ number: Int, by user: UserID, _ type: ActivityType = .goalReached, at time: Int64? = nil
    ) -> ActivityItem {
        ActivityItem(
            id: ActivityID(UUIDValue(high: 1, low: UInt64(number))), user: user, type: .known(type), title: "\(number)",
            description: nil, metadata: Array("{}".utf8), timestamp: at(time ?? Int64(number)))
    }

    private func post(
        _ number: Int, by user: UserID, _ type: ActivityType = .goalReached, at time: Int64? = nil
    ) throws {
        let item = item(number, by: user, type, at: time)
        let isNew = try store.write {
            try $0.activities.insert(item, .posted(digest: digest), disappearsAt: item.timestamp)
        }
        #expect(isNew)
    }

    private func read(
        of owner: UserID? = nil, seenBy viewer: UserID, before key: ActivityKey? = nil, limit: Int = 1000
    ) throws -> [StoredActivity] {
        var items: [StoredActivity] = []
        try store.read { snapshot throws in
            try snapshot.activities.read(of: owner, seenBy: viewer, before: key) { item in
                items.append(item)
                return items.count < limit
            }
        }
        return items
    }

    private func titles(of owner: UserID? = nil, seenBy viewer: UserID) throws -> [String] {
        try read(of: owner, seenBy: viewer).map(\.item.title)
    }

    @Test("one sees one's own and one's friends', the newest first")
    func friends() throws {
        for (number, user) in [(1, "alice"), (2, "bob"), (3, "carol"), (4, "dave"), (5, "bob"), (6, "alice")] {
            try post(number, by: UserID(validated: user))
        }
        #expect(try titles(seenBy: "alice") == ["6", "5", "3", "2", "1"])
        #expect(try titles(seenBy: "bob") == ["6", "5", "2", "1"])
        #expect(try titles(seenBy: "dave") == ["4"])
        #expect(try titles(of: "bob", seenBy: "alice") == ["5", "2"])
        try store.execute("DELETE FROM follows WHERE follower = 'bob'")
        #expect(try titles(seenBy: "alice") == ["6", "3", "1"] && titles(seenBy: "bob") == ["5", "2"])
    }

    @Test("pages put together are the whole, however the items of friends are mixed", arguments: [1, 2, 7, 200])
    func pages(limit: Int) throws {
        var expected: [String] = []
        for number in 1...60 {
            let user = people[[0, 1, 1, 2, 2, 2, 3][number * number % 7]]
            try post(number, by: user)
            if user != "dave" { expected.insert("\(number)", at: 0) }
        }
        var (found, last): ([String], ActivityKey?) = ([], nil)
        repeat {
            let page = try read(seenBy: "alice", before: last, limit: limit)
            found += page.map(\.item.title)
            last = page.last?.key
        } while last != nil
        #expect(found == expected)
    }

    @Test("what the gateway made of workouts is shown to others only while they are shared")
    func shared() throws {
        for (number, type) in ActivityType.allCases.enumerated() { try post(number, by: "bob", type) }
        #expect(try titles(seenBy: "alice") == ["3", "2", "1", "0"])
        try store.execute("UPDATE users SET share_workout_data = 0 WHERE id = 'bob'")
        #expect(try titles(seenBy: "alice") == ["3", "2"] && titles(of: "bob", seenBy: "alice") == ["3", "2"])
        #expect(try titles(seenBy: "bob") == ["3", "2", "1", "0"])
        let visible = try store.read { snapshot throws in
            try (0..<4).map { try snapshot.activities.visibleItem(item($0, by: "bob").id, to: "alice") != nil }
        }
        #expect(visible == [false, false, true, true])
    }

    @Test("a reaction is one a user, and is seen by who has made it and by their friends")
    func reactions() throws {
        try post(1, by: "alice")
        let key = try #require(try read(seenBy: "alice").first).key
        func react(_ user: UserID, _ text: String) throws {
            let emoji = try #require(Emoji(text))
            try store.write { try $0.activities.react(user, emoji, to: key, at: at(0)) }
        }
        func reactions(_ viewer: UserID) throws -> [UserID: String] {
            try #require(try store.read { try $0.activities.item(item(1, by: "alice").id, seenBy: viewer) }).item
                .reactions
        }
        try react("bob", "👏")
        try react("bob", "❤️")
        try react("carol", "😀")
        // bob and carol are no friends of each other.
        #expect(try reactions("alice") == ["bob": "❤️", "carol": "😀"])
        #expect(try reactions("bob") == ["bob": "❤️"] && reactions("carol") == ["carol": "😀"])
        #expect(try reactions("dave").isEmpty)
        try store.write { try $0.activities.unreact("bob", to: key) }
        #expect(try reactions("alice") == ["carol": "😀"])
        try store.execute("DELETE FROM follows WHERE follower = 'alice'")
        #expect(try reactions("alice").isEmpty)
    }

    @Test("who may see an item is its owner and their friends")
    func visibility() throws {
        try post(1, by: "bob")
        let seen = try store.read { snapshot throws in
            try people.filter { try snapshot.activities.visibleItem(item(1, by: "bob").id, to: $0) != nil }
        }
        #expect(seen == ["alice", "bob"])
    }

    @Test("the gateway makes one item for one thing")
    func madeOnce() throws {
        func make(_ number: Int, for purpose: String, of user: UserID = "bob") throws -> Bool {
            try store.write {
                try $0.activities.insert(item(number, by: user), .made(for: purpose), disappearsAt: at(0))
            }
        }
        #expect(try make(1, for: "a") && !make(2, for: "a") && make(3, for: "b") && make(4, for: "a", of: "carol"))
        #expect(try titles(of: "bob", seenBy: "bob") == ["3", "1"])
    }

    @Test("of a user the newest are kept, and all are removed in their time with what was said of them")
    func removal() throws {
        for number in 1...ActivityFeed.most + 3 { try post(number, by: "bob") }
        try post(1000, by: "alice")
        #expect(try titles(of: "bob", seenBy: "bob").count == ActivityFeed.most)
        #expect(try titles(of: "bob", seenBy: "bob").last == "4")
        let key = try #require(try read(of: "bob", seenBy: "bob").last).key
        try store.write { try $0.activities.react("alice", try #require(Emoji("👏")), to: key, at: at(0)) }
        #expect(try store.read { try $0.activities.nextRemoval() } == at(4))
        #expect(try store.write { try $0.activities.removeExpired(at: at(10), limit: 3) } == 3)
        #expect(try store.text("SELECT count(*) FROM activity_reactions") == "0")
        #expect(try store.write { try $0.activities.removeExpired(at: at(10), limit: 9) } == 4)
    }

    @Test("the order is that of the time, and says nothing of how many there are")
    func order() throws {
        try post(1, by: "bob")
        try post(2, by: "dave", at: 1)
        try post(3, by: "bob", at: 5)
        let keys = try read(of: "bob", seenBy: "bob").map(\.key.value)
        #expect(keys == [at(5).milliseconds * 1024, at(1).milliseconds * 1024])
        // The clock goes back.
        try post(4, by: "bob", at: 0)
        #expect(try read(of: "bob", seenBy: "bob").first?.key.value == at(5).milliseconds * 1024 + 1)
    }
}
