import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored users", .onEveryStore)
final class UserQueriesTests: StoreSuite {
    override init() throws {
        try super.init()
        try store.write { transaction in
            try transaction.insertPeople(["alice", "bob", "carol", "Dave"])
            try transaction.users.insert("operator", role: .operator, displayName: "Operator", at: at(0))
        }
    }

    @Test("an operator is nobody's to see")
    func operatorIsHidden() throws {
        try store.read { snapshot throws in
            #expect(try snapshot.users.role(of: "operator") == .operator && snapshot.users.role(of: "alice") == .member)
            #expect(try snapshot.users.role(of: "nobody") == nil)
            #expect(try !snapshot.users.hasMember("operator") && snapshot.users.hasMember("alice"))
            #expect(try snapshot.users.profile("operator") == nil)
            #expect(
                try snapshot.users.summaries(after: nil, limit: 10).map(\.user) == ["Dave", "alice", "bob", "carol"])
        }
    }

    @Test("users come by pages, in the order of their bytes, with their devices")
    func usersInPages() throws {
        try store.write { transaction in
            try transaction.devices.put(device("bob", "phone"), tokenID: .random(), now: at(0), expiresAt: at(9))
            let page = try transaction.facts.users.summaries(after: "alice", limit: 1)
            #expect(page.map(\.user) == ["bob"] && page.first?.devices == ["phone"])
            #expect(page.first?.displayName == "bob!")
            #expect(try transaction.facts.users.summary("bob") == page.first)
            #expect(try transaction.facts.users.summary("nobody") == nil)
        }
    }

    @Test("a profile is stored whole")
    func profileIsWhole() throws {
        try store.write { transaction in
            let first = try #require(try transaction.facts.users.profile("alice"))
            #expect(first.displayName == "alice!" && first.quietHours == nil && first.timeZone == nil)
            let changed = Profile(
                user: "alice", displayName: "Alice \u{1F3C3}", photoURL: "https://example.org/a",
                messagePrivacy: .anyone,
                sharesWorkoutData: !first.sharesWorkoutData, sendsReadReceipts: !first.sendsReadReceipts,
                sendsTyping: !first.sendsTyping, presence: .nobody, quietHours: QuietHours(from: "22:00", to: "07:00"),
                timeZone: "Europe/Berlin")
            try transaction.users.update(changed)
            #expect(try transaction.facts.users.profile("alice") == changed)
            #expect(try transaction.facts.users.profile("bob")?.displayName == "bob!")
        }
    }
}
