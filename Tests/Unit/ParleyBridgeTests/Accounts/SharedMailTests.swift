import ParleyProtocol
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite(
    "Mails that several gateways find",
    .enabled(if: TestedEngine.hasCells, "PostgreSQL is not built in or not installed"))
struct SharedMailTests {
    private let database: any SharedDatabase
    private let world: AccountWorld
    private let writers: [Writer]

    init() throws {
        database = try TestedEngine.makeSharedDatabase()
        let second = try database.open(cell: "two")
        world = try AccountWorld(on: database.open(cell: "one"))
        writers = [world.test.writer, try world.test.anotherWriter(on: second)]
    }

    private func senders(_ mailers: [TestMailer], now: Int64 = 0) throws -> [MailSender] {
        try zip(mailers, writers).map { try MailSender(world.tokens, $0, on: $1, now: at(now)) }
    }

    /// All look, then all write, and so on.
    private func deliver(_ senders: [MailSender], rounds: Int = 3) throws {
        for _ in 0..<rounds {
            for sender in senders { try sender.look() }
            for sender in senders { sender.write() }
        }
    }

    @Test("a mail that all see at once is sent by one of them, and its row goes")
    func once() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let mailers = [TestMailer(), TestMailer()]
        try deliver(try senders(mailers))
        #expect(mailers.reduce(0) { $0 + $1.mails.count } == 1)
        #expect(try world.mails().isEmpty)
    }

    @Test("a mail that is under way at one is left alone by the other, also after its pause is over")
    func underWay() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let mailers = [TestMailer(), TestMailer()]
        let (first, second) = (try senders(mailers)[0], try senders(mailers)[1])
        try first.look()
        first.write()
        try first.look()
        // It is sent, and nobody has written that.
        try deliver([second])
        try deliver([try senders(mailers, now: 59_999)[1]])
        #expect(mailers.map(\.mails.count) == [1, 0])
        first.write()
        try deliver([try senders(mailers, now: 60_000)[1]])
        #expect(mailers.map(\.mails.count) == [1, 0])
    }

    @Test("a mail of a gateway that is killed before its row goes is sent again in a minute, with the same code")
    func killed() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let mailers = [TestMailer(), TestMailer()]
        let first = try senders(mailers)[0]
        try first.look()
        first.write()
        try first.look()
        try deliver([try senders(mailers, now: 60_000)[1]])
        #expect(mailers.map(\.mails.count) == [1, 1])
        #expect(mailers[0].mails == mailers[1].mails)
    }

    @Test("a mail server that is away is asked once for a mail after each pause, by whichever comes first")
    func failures() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let mailers = (0..<2).map { _ in TestMailer(failures: Array(repeating: .passing, count: 9)) }
        for (index, time) in [0, 10_000, 30_000, 70_000].enumerated() {
            try deliver(try senders(mailers, now: Int64(time)))
            #expect(mailers.reduce(0) { $0 + $1.mails.count } == index + 1)
            #expect(try world.test.text("SELECT attempts FROM mails") == "\(index + 1)")
        }
    }
}
