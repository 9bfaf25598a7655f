import Foundation
import Glibc
import Launch
import MQTTClient
import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

/// Cells whose database loses what it had committed, and cells that lose their data directories.
@Suite("Continuity of cells", .ownThreads, .postgreSQL)
struct CellContinuityTests {
    private let site: CellSite

    /// What is logged by a cell that begins new epochs.
    private static let newEpochs = "every conversation has a new epoch"

    init() throws { site = try CellSite() }

    /// Of all conversations, in order.
    private func epochs() throws -> [String] {
        try texts("SELECT epoch FROM parley.conversations ORDER BY key")
    }

    private func era() throws -> String { try texts("SELECT name FROM parley.instance WHERE id = 0").joined() }

    private func texts(_ statement: String) throws -> [String] {
        let connection = try site.database.connect()
        defer { connection.close() }
        let rows = try connection.query(statement, [])
        return (0..<rows.count).compactMap { rows.text($0, 0) }
    }

    private func history(_ client: DeviceClient, _ conversation: String) throws -> [String] {
        try client.accepted("history/get", ["conversation_id": .string(conversation), "after": 0, "limit": 100])[
            "messages"
        ].elements.compactMap { $0["id"].text }
    }

    /// A connection anew: a cell shuts its devices out while the database is away for longer than its lease.
    private func again(_ client: DeviceClient, at cell: Int) throws -> DeviceClient {
        try site.cells[cell].connect(client.credentials, DeviceClient.Options(connection: "again"))
    }

    /// Has the database forget what `body` does, while the cells do not know.
    private func losing(_ body: () throws -> Void) throws {
        site.server.stop()
        try site.server.keepFiles()
        try site.server.start()
        try body()
        site.server.stop(with: SIGQUIT)
        try site.server.putBackFiles()
    }

    /// Does it again where a cell has shut its devices out meanwhile, as one does whose lease lapses on a busy machine.
    private func whileServed(_ body: () throws -> Void) throws {
        try eventually("a cell that serves all the while") { () -> Void? in
            do throws(any Error) {
                return try body()
            } catch MQTTError.disconnected {
                return nil
            }
        }
    }

    /// Starts parleyd as a service manager does: again while it ends by itself, and not after status 78.
    private func startAgain(_ gateway: TestGateway) throws {
        for _ in 0..<5 {
            try gateway.launchParleyd()
            if (try? gateway.awaitReady()) != nil { return }
            #expect(gateway.parleyd?.waitUntilEnded() == 1, "\(gateway.log)")
        }
        throw StartError("parleyd", gateway.log)
    }

    @Test("a known cell on a new machine begins anew at its broker alone, while the others go on")
    func newMachine() throws {
        let (alice, bob, conversation) = try site.pair()
        let known = [try alice.say(in: conversation), try bob.say(in: conversation)]
        let (before, era) = (try epochs(), try era())
        site.cells[0].endParleyd(SIGKILL)
        site.cells[0].endBroker(SIGKILL)
        let anew = try CellSite.gateway("cell1", site.database.uri)
        try anew.copyKeys(from: site.cells[1])
        try anew.startBroker()
        try anew.startParleyd()
        #expect(anew.log.contains("this cell begins anew at its broker"))
        for cell in [anew, site.cells[1]] { #expect(!cell.log.contains(Self.newEpochs)) }
        #expect(try epochs() == before)
        #expect(try self.era() == era)
        #expect(try texts("SELECT 1 FROM parley.publishing WHERE id = 2 AND presence_broker IS NOT NULL").count == 1)
        let moved = try anew.connect(alice.credentials)
        #expect(try history(moved, conversation) == known)
        try bob.listen(to: conversation, "messages")
        try bob.hear(try moved.say(in: conversation), in: conversation)
        // Started again it finds all as it left it.
        anew.endParleyd(SIGKILL)
        try anew.startParleyd()
        #expect(!anew.log.contains(Self.newEpochs))
        #expect(try self.era() == era)
    }

    @Test("cells that run through a loss of commits end by themselves, and their next starts begin new epochs once")
    func lossWhileRunning() throws {
        let (alice, bob, conversation) = try site.pair()
        let known = [try alice.say(in: conversation)]
        let (before, era) = (try epochs(), try era())
        let processes = site.cells.compactMap(\.parleyd)
        try losing {
            try whileServed {
                let (alice, bob) = (try again(alice, at: 0), try again(bob, at: 1))
                try bob.listen(to: conversation, "messages")
                let lost = try alice.say(in: conversation)
                try bob.hear(lost, in: conversation)
            }
        }
        try site.server.start()
        for (cell, process) in zip(site.cells, processes) {
            #expect(try process.awaitEnd("the process of a cell") == 1)
            #expect(cell.log.contains("the database has lost what it had committed"), "\(cell.log)")
        }
        #expect(try epochs() == before)
        for cell in site.cells { try startAgain(cell) }
        #expect(site.cells.filter { $0.log.contains(Self.newEpochs) }.count == 1)
        let after = try epochs()
        #expect(after.count == before.count && Set(after).isDisjoint(with: before))
        #expect(era.hasPrefix("1-"))
        #expect(try self.era().hasPrefix("2-"))
        let anew = try [alice, bob].enumerated().map { try site.cells[$0].connect($1.credentials) }
        for client in anew { #expect(Array(try history(client, conversation).prefix(1)) == known) }
        try anew[1].listen(to: conversation, "messages")
        try anew[1].hear(try anew[0].say(in: conversation), in: conversation)
    }

    @Test("cells that were stopped while the database was put back begin new epochs, the first for all")
    func lossWhileStopped() throws {
        let (alice, _, conversation) = try site.pair()
        let known = try alice.say(in: conversation)
        let before = try epochs()
        try losing {
            try again(alice, at: 0).say(in: conversation)
            for cell in site.cells { cell.endParleyd(SIGKILL) }
        }
        try site.server.start()
        for cell in site.cells { try cell.startParleyd() }
        #expect(site.cells.map { $0.log.contains(Self.newEpochs) } == [true, false])
        #expect(Set(try epochs()).isDisjoint(with: before))
        #expect(try era().hasPrefix("2-"))
        // What was lost may come again: the broker still has a request that was not acknowledged.
        #expect(try history(try site.cells[1].connect(alice.credentials), conversation).first == known)
    }

    @Test("one whose loss shows while others run begins new epochs, and these end and come again")
    func lossAmongOthers() throws {
        let (alice, _, conversation) = try site.pair(at: 0, 0)
        let known = try alice.say(in: conversation)
        let before = try epochs()
        try losing {
            site.cells[1].endParleyd(SIGKILL)
            try again(alice, at: 0).say(in: conversation)
            // Before the other could hear of it.
            site.cells[0].endParleyd(SIGKILL)
        }
        try site.server.start()
        try site.cells[1].startParleyd()
        let process = try #require(site.cells[1].parleyd)
        try site.cells[0].startParleyd()
        #expect(site.cells[0].log.contains(Self.newEpochs))
        #expect(try process.awaitEnd("the other process") == 1)
        #expect(site.cells[1].log.contains("another cell has begun new epochs"))
        try startAgain(site.cells[1])
        #expect(!site.cells[1].log.contains(Self.newEpochs))
        #expect(Set(try epochs()).isDisjoint(with: before))
        // What was lost may come again: the broker still has a request that was not acknowledged.
        #expect(try history(try site.cells[1].connect(alice.credentials), conversation).first == known)
    }

    @Test("the directory of another database is refused with status 78 while others run, and nothing is changed")
    func otherDatabase() throws {
        let (alice, _, conversation) = try site.pair()
        try alice.say(in: conversation)
        let (before, era) = (try epochs(), try era())
        let stranger = try CellSite.gateway("cell3", site.database.uri)
        try Data("parley.witness 1\n00000000000000000007\n4-abc\n".utf8)
            .write(to: URL(filePath: stranger.directory + "/parley.witness"))
        let refused = try stranger.run(["--data", stranger.directory] + stranger.arguments)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("stop all cells first (cell1, cell2)"), "\(refused.errors)")
        #expect(try epochs() == before)
        #expect(try self.era() == era)
        try alice.say(in: conversation)
    }
}
