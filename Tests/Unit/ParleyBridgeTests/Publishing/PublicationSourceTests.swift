import Logging
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("What is handed to the publisher while the store is away")
struct PublicationSourceTests {
    private let directory = TemporaryDirectory.unmade()
    private let engine: AbsentStore
    private let test: TestWriter
    private let queue: OutQueue
    private let conversation: ConversationID
    private let ids = (0..<3).map { _ in MessageID.random() }
    private let begin = ContinuousClock.now

    init() throws {
        try directory.make()
        let path = directory.path + "/parley.db"
        try MigratedDatabase.write(to: path)
        engine = AbsentStore(try SQLiteFile(path: path, migrations: .shipped, trace: nil))
        test = try TestWriter(on: Store(engine))
        queue = try OutQueue(limit: OutLoad(items: 1000, bytes: 1_000_000))
        conversation = try test.conversation(["alice", "bob"])
    }

    private func source() throws -> PublicationSource {
        PublicationSource(
            queue: queue, store: test.store, backlog: try Publisher.Backlog(in: test.store), passedOver: Monitor([:]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// What carries out a request in a batch of its own adds to the queue.
    private func carryOut(_ request: IncomingCommand) { queue.add(test.writer.carryOut([request], now: at(0)).effects) }

    private func read(_ id: MessageID) throws -> IncomingCommand {
        try request(
            MarkRead.self, #"{"conversation_id":"\#(conversation)","message_id":"\#(id)"}"#,
            from: device("bob", "phone"))
    }

    /// The replies and events, in order: what they are, and of how many unread messages they tell.
    private func handedOn(
        _ source: inout PublicationSource, after milliseconds: Int, precede: (Outgoing) -> Bool = { _ in true }
    ) throws -> [String] {
        var publications = Publications(publishedThrough: .start)
        source.drain()
        try source.fill(&publications, now: begin + .milliseconds(milliseconds), precede: precede)
        var list: [String] = []
        while let entry = publications.next {
            let published = try Published(entry.item, of: entry.batch.outgoing)
            let count = (published.data["unread_count"] as? Int).map { " \($0)" } ?? ""
            list.append((published.event ?? published.code ?? "ok") + count)
            publications.dropNext()
        }
        return list
    }

    @Test("a refusal goes on while a count cannot be read; what waits for it goes later, in order")
    func countsLater() throws {
        var source = try source()
        for id in ids { carryOut(try send(conversation, id: id)) }
        #expect(try handedOn(&source, after: 0) == ["message.new", "ok", "message.new", "ok", "message.new", "ok"])
        carryOut(try read(ids[0]))
        carryOut(try send(conversation))
        carryOut(try send(.random()))
        engine.fault = .unavailable(message: "gone")
        #expect(try handedOn(&source, after: 0) == ["not_found"])
        carryOut(try send(.random()))
        // It is not asked again at once.
        engine.fault = nil
        #expect(try #require(source.wait(now: begin)) > .zero)
        #expect(try handedOn(&source, after: 0) == ["not_found"])
        #expect(
            try handedOn(&source, after: 1000) == [
                "message.read", "conversation.read 2", "ok", "message.new", "ok",
            ])
        #expect(source.wait(now: begin) == nil)
        #expect(try handedOn(&source, after: 1000) == [])
    }

    @Test("what needs nothing of the store goes before what does")
    func before() throws {
        var source = try source()
        carryOut(try send(conversation, id: ids[0]))
        carryOut(try read(ids[0]))
        engine.fault = .unavailable(message: "gone")
        #expect(try handedOn(&source, after: 0) == ["message.new", "ok"])
    }

    @Test("what an earlier process has left waits, and goes before all else but refusals")
    func backlog() throws {
        _ = test.writer.carryOut([try send(conversation, id: ids[0])], now: at(0))
        var source = try source()
        carryOut(try read(ids[0]))
        carryOut(try send(.random()))
        engine.fault = .unavailable(message: "gone")
        #expect(try handedOn(&source, after: 0) == ["not_found"])
        engine.fault = nil
        #expect(
            try handedOn(&source, after: 1000) == [
                "message.new", "message.read", "conversation.read 0", "ok",
            ])
    }

    @Test("what depends on changes of audiences waits for them, and what is behind it but for refusals")
    func dependent() throws {
        var source = try source()
        for _ in 0..<2 { carryOut(try send(conversation)) }
        carryOut(try send(.random()))
        var asked = 0
        let first = try handedOn(&source, after: 0) { _ in
            asked += 1
            return asked == 1
        }
        #expect(first == ["message.new", "ok", "not_found"])
        #expect(source.wait(now: begin) == nil)
        #expect(try handedOn(&source, after: 0) == ["message.new", "ok"])
    }

    @Test("a failure that does not pass, or that ends the process, is no reason to wait")
    func lasting() throws {
        for (id, fault) in zip(ids, [.failed(code: "1", message: "a fault"), .superseded(cell: "one")] as [StoreError])
        {
            var source = try source()
            carryOut(try send(conversation, id: id))
            carryOut(try read(id))
            engine.fault = fault
            #expect(throws: StoreError.self) { try handedOn(&source, after: 0) }
            engine.fault = nil
            _ = try handedOn(&source, after: 0)
        }
    }
}
