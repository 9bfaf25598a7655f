import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Stored epochs", .onEveryStore)
final class EpochTests: StoreSuite {
    @Test("every conversation gets an epoch of its own, and its records keep their places")
    func everyConversationGetsOne() throws {
        let ids = (0..<1201).map { _ in ConversationID.random() }
        try store.write { transaction in
            try transaction.insertPeople(["alice", "bob", "carol"])
            for id in ids { try transaction.insertConversation(["alice", "bob", "carol"], id: id) }
            for _ in 0..<3 {
                try transaction.append(to: ids[7], from: DeviceAddress(user: "alice", device: "phone"))
            }
        }
        var made = 0
        let count = try store.write { transaction in
            try transaction.continuity.renewEpochs {
                made += 1
                return "new\(made)"
            }
        }
        #expect(count == ids.count && made == ids.count)
        let epochs = try store.read { snapshot in try ids.map { try snapshot.existing($0).facts.epoch } }
        #expect(Set(epochs) == Set((1...ids.count).map { "new\($0)" }))
        #expect(try store.read { try $0.existing(ids[7]).facts.lastSeq } == 3)
        for case .record(_, let record) in try store.read({ try $0.outbox.unpublished(after: 0, limit: 10) }) {
            #expect(record.epoch == epochs[7])
        }
    }

    @Test("a database has no name before it is given one, and then the last")
    func lastNameStands() throws {
        #expect(try store.read { try $0.continuity.instance() } == nil)
        for name in ["a", "b"] {
            try store.write { try $0.continuity.setInstance(name) }
            #expect(try store.read { try $0.continuity.instance() } == name)
        }
    }

    @Test("presence is told anew, and groups in which nobody is are passed over")
    func presenceIsToldAnew() throws {
        let id = ConversationID.random()
        try store.write { transaction in
            try transaction.insertPeople(["alice", "bob", "carol"])
            let group = try transaction.insertConversation(["alice", "bob", "carol"])
            let empty = try transaction.insertConversation(["alice", "bob", "carol"], id: id)
            for user in ["alice", "bob", "carol"] as [UserID] { try transaction.members.delete(user, of: empty.key) }
            try transaction.insertConversation(["alice", "bob"])
            try transaction.database.run("UPDATE publishing SET presence_broker = 7")
            #expect(try transaction.continuity.renewEpochs { "new" } == 3)
            #expect(try transaction.facts.info.groupConversations(after: nil, limit: 9) == [group.key])
        }
        #expect(try store.read { try $0.outbox.broker(of: .presence) } == nil)
    }
}
