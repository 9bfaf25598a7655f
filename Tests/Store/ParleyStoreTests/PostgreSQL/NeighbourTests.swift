import Foundation
import ParleyPostgreSQL
import ParleyProtocol
import ParleyRules
import PostgreSQL
import PostgreSQLServer
import Synchronization
import TestNames
import TestSupport
import Testing

@testable import ParleyStore

@Suite(
    "Neighbours on one database",
    .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"), .timeLimit(.minutes(20)))
struct NeighbourTests {
    private let database: TestDatabase
    private let conversation = ConversationID.random()

    init() throws { database = try PostgreSQLServer.shared().database() }

    private func open(_ cell: String) throws -> Store {
        let name = try #require(CellName(cell))
        return Store(try PostgreSQLStore(try StoreAddress(uri: database.uri), cell: name, durability: .waived))
    }

    /// Two cells, and a conversation.
    private func neighbours() throws -> (Store, Store) {
        let (one, other) = (try open("one"), try open("other"))
        try one.write { transaction in
            try transaction.insertPeople(["paula", "quinn"])
            try transaction.insertConversation(["paula", "quinn"], id: conversation)
        }
        return (one, other)
    }

    private func append(_ store: Store, _ isolation: Isolation, meanwhile: () throws -> Void = {}) throws {
        try store.write(isolation: isolation) { transaction in
            // The snapshot is taken.
            _ = try transaction.facts.outbox.lastPosition()
            try meanwhile()
            try transaction.append(to: conversation, from: device("paula", "phone"))
        }
    }

    @Test("what a neighbour has changed meanwhile fails as a conflict, and leaves nothing")
    func conflict() throws {
        let (one, other) = try neighbours()
        // What is said for the first time takes longer, and the first may not wait for long.
        for store in [one, other] { try append(store, .byConversation) }
        #expect {
            try append(one, .serializable) { try append(other, .byConversation) }
        } throws: { error in
            if case .conflict = error as? StoreError { true } else { false }
        }
        let facts = try one.read { try $0.conversations.conversation(conversation)?.facts }
        #expect(facts?.lastSeq == 3)
    }

    @Test("alone, it is not in their way: they wait until it is done")
    func alone() throws {
        let (one, other) = try neighbours()
        let watcher = try database.connect()
        let order = Mutex<[String]>([])
        let hasEnded = DispatchSemaphore(value: 0)
        try append(one, .alone) {
            Thread.detachNewThread {
                let isDone = (try? append(other, .byConversation)) != nil
                order.withLock { $0.append(isDone ? "the other" : "a failure") }
                hasEnded.signal()
            }
            let waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'parley.cells'::regclass"
            while try watcher.query(waiting).count == 0 { usleep(1_000) }
            order.withLock { $0.append("one") }
        }
        hasEnded.wait()
        #expect(order.withLock { $0 } == ["one", "the other"])
        let facts = try one.read { try $0.conversations.conversation(conversation)?.facts }
        #expect(facts?.lastSeq == 2)
    }

    @Test("a cell whose lease is over is no neighbour to wait for, and still another that may write")
    func silent() throws {
        let one = try open("one")
        let cells = try #require(one.cells)
        #expect(cells.hasNeighbours && cells.hasOthers, "until the first look")
        func look() throws -> [Bool] {
            _ = try one.read { try cells.states(in: $0) }
            return [cells.hasNeighbours, cells.hasOthers]
        }
        #expect(try look() == [false, false])
        let other = try open("other")
        #expect(try look() == [false, true])
        try other.cells?.extendLease()
        #expect(try look() == [true, true])
    }
}
