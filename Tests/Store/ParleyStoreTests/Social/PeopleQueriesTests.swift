import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyStore

/// Lists of people and their counts, held to each other and to what they mean.
@Suite("Lists of people", .onEveryStore)
struct PeopleQueriesTests {
    private static let users: [UserID] = ["a", "b", "c", "d"]

    /// Who follows and blocks whom, at random.
    private struct World {
        var follows: Set<[UserID]> = []
        var blocks: Set<[UserID]> = []

        func sees(_ viewer: UserID, _ list: PeopleList, of owner: UserID) -> Set<UserID> {
            switch list {
            case .followers:
                Set(
                    follows.filter { row in
                        row[1] == owner && !blocks.contains(row)
                            && !(viewer == owner && blocks.contains([owner, row[0]]))
                    }.map { $0[0] })
            case .following:
                Set(
                    follows.filter { row in
                        row[0] == owner && !blocks.contains(row)
                            && !(viewer == row[1] && blocks.contains([viewer, owner]))
                    }.map { $0[1] })
            case .blocked: viewer == owner ? Set(blocks.filter { $0[0] == owner }.map { $0[1] }) : []
            }
        }
    }

    @Test("lists and counts say the same to everybody who looks, whoever blocks whom")
    func sameForEverybody() throws {
        let database = try TestedEngine.makeDatabase()
        let store = try database.open()
        try store.write { try $0.insertPeople(Self.users) }
        var generator = Seeded(seed: 42)
        for round in 0..<60 {
            var world = World()
            try store.write { transaction in
                try transaction.database.run("DELETE FROM follows")
                try transaction.database.run("DELETE FROM blocks")
                for one in Self.users {
                    for other in Self.users where other > one {
                        var contact = Contact(strangers: one, other)
                        for (user, whom) in [(one, other), (other, one)] {
                            if Bool.random(using: &generator) {
                                try contact.follow(by: user)
                                world.follows.insert([user, whom])
                            }
                        }
                        for (user, whom) in [(one, other), (other, one)]
                        where Int.random(in: 0..<3, using: &generator) == 0 {
                            contact.block(by: user, now: at(Int64(round)))
                            world.blocks.insert([user, whom])
                        }
                        try transaction.contacts.update(
                            Contact(strangers: one, other), to: contact, conversation: nil, at: at(Int64(round)))
                    }
                }
                for viewer in Self.users {
                    for owner in Self.users {
                        func listed(_ list: PeopleList) throws -> Set<UserID> {
                            Set(
                                try transaction.facts.people.page(
                                    list, of: owner, seenBy: viewer, after: nil, limit: 10
                                )
                                .map(\.user))
                        }
                        for list in PeopleList.allCases {
                            #expect(try listed(list) == world.sees(viewer, list, of: owner))
                        }
                        let counts = try transaction.facts.people.followCounts(of: owner, seenBy: viewer)
                        #expect(
                            counts
                                == FollowCounts(
                                    followers: try listed(.followers).count, following: try listed(.following).count))
                    }
                }
            }
        }
    }
}
