import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored presence", .onEveryStore)
final class PresenceQueriesTests: PeopleSuite {
    override init() throws {
        try super.init()
        try store.write { try $0.users.insert("root", role: .operator, displayName: "Root", at: at(0)) }
    }

    @Test("what is kept of a user is what was put last, and nothing before")
    func lastIsKept() throws {
        try store.write { transaction in
            let facts = transaction.facts
            func kept(_ user: UserID) throws -> Presence? { try facts.presence.stored(of: [user])[user]?.presence }
            #expect(try kept("alice") == .offline(lastSeen: nil))
            for presence: Presence in [.online, .offline(lastSeen: at(5)), .online, .offline(lastSeen: at(7))] {
                try transaction.put(presence, of: "alice")
                #expect(try kept("alice") == presence)
                #expect(try facts.presence.usersOnline() == (presence == .online ? ["alice"] : []))
                let isRecent = presence == .offline(lastSeen: at(7))
                #expect(try facts.presence.usersOffline(since: at(7)) == (isRecent ? ["alice"] : []))
            }
            #expect(try kept("bob") == .offline(lastSeen: nil))
        }
    }

    @Test("who is not there was seen at some time, and belongs to the users there are")
    func missingAndPresent() throws {
        #expect(throws: StoreError.self) { try store.write { try $0.put(.offline(lastSeen: nil), of: "alice") } }
        #expect(throws: StoreError.self) { try store.write { try $0.put(.online, of: "nobody") } }
        #expect(try store.read { try $0.presence.usersOnline() } == [])
    }

    @Test("all that is kept is given page by page, with what each lets be shown")
    func allInPages() throws {
        try store.write { transaction in
            try transaction.put(.online, of: "carol")
            try transaction.put(.offline(lastSeen: at(3)), of: "alice")
            try transaction.database.run("UPDATE users SET presence = 'nobody' WHERE id = 'carol'")
            let facts = transaction.facts
            let first = try facts.presence.stored(after: nil, limit: 1)
            #expect(first.map(\.user) == ["alice"])
            #expect(first.map(\.presence) == [.offline(lastSeen: at(3))] && first.map(\.privacy) == [.friends])
            let second = try facts.presence.stored(after: "alice", limit: 5)
            #expect(second.map(\.user) == ["carol"] && second.map(\.privacy) == [.nobody])
            #expect(try facts.presence.stored(after: "carol", limit: 5).isEmpty)
        }
    }

    @Test("an operator has no presence to be shown")
    func operatorHasNone() throws {
        try store.read { snapshot throws in
            let kept = try snapshot.presence.stored(of: ["alice", "root", "nobody"])
            #expect(kept.mapValues(\.privacy) == ["alice": .friends])
        }
    }

    @Test("the broker's run is noted whole", arguments: [0, 1, UInt64.max])
    func brokerRun(run: UInt64) throws {
        #expect(try store.read { try $0.outbox.broker(of: .presence) } == nil)
        try store.write { try $0.outbox.setBroker(run, of: .presence) }
        #expect(try store.read { try $0.outbox.broker(of: .presence) } == run)
    }
}
