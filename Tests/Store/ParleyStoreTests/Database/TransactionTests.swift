import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Transactions", .onEveryStore)
final class TransactionTests: StoreSuite {
    @Test("a transaction that throws leaves nothing")
    func throwingTransactionLeavesNothing() throws {
        struct RefusedError: Error {}
        #expect(throws: StoreError.self) {
            try store.write { transaction in
                try transaction.insertPeople(["alice", "bob"])
                try transaction.insertConversation(["alice", "bob"])
                throw RefusedError()
            }
        }
        #expect(try store.text("SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM conversations)") == "0")
        try store.write { try $0.insertPeople(["alice"]) }
    }

    @Test("what fails in the middle takes what was before it along")
    func failureTakesItsTransaction() throws {
        #expect(throws: StoreError.self) {
            try store.write { try $0.insertPeople(["alice", "bob", "alice"]) }
        }
        #expect(try store.text("SELECT count(*) FROM users") == "0")
    }

    @Test("a row that is there already is called so, whichever key finds it")
    func notUnique() throws {
        let id = ConversationID.random()
        try store.write { transaction in
            try transaction.insertPeople(["alice", "bob"])
            try transaction.insertConversation(["alice", "bob"], id: id)
        }
        let attempts: [(WriteTransaction) throws -> Void] = [
            { try $0.insertPeople(["alice"]) }, { try $0.insertConversation(["alice", "bob"], id: id) },
        ]
        for attempt in attempts {
            let error = #expect(throws: StoreError.self) { try store.write { try attempt($0) } }
            guard case .notUnique = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error?.isPassing == false)
        }
    }

    @Test("a fault of ours names no content")
    func faultNamesNoContent() throws {
        let error = #expect(throws: StoreError.self) {
            try store.execute("INSERT INTO users (id, role, display_name, created_at) VALUES ('a', 'b', 'secret', 0)")
        }
        #expect(error?.description.contains("secret") == false && error?.isPassing == false)
    }

    @Test("a reader sees one state while the writer goes on")
    func readerSeesOneState() throws {
        try store.write { try $0.insertPeople(["alice"]) }
        try store.read { snapshot throws in
            #expect(try snapshot.text("SELECT count(*) FROM users") == "1")
            try store.write { try $0.insertPeople(["bob"]) }
            #expect(try snapshot.text("SELECT count(*) FROM users") == "1")
            #expect(try !snapshot.users.hasMember("bob"))
        }
        #expect(try store.read { try $0.users.hasMember("bob") })
    }

    @Test("a transaction reads what it has written, and readers do not")
    func readersSeeCommitted() throws {
        try store.write { transaction in
            try transaction.insertPeople(["alice"])
            #expect(try transaction.facts.users.hasMember("alice"))
            #expect(try !store.read { try $0.users.hasMember("alice") })
        }
    }
}
