import Foundation
import Glibc
import Launch
import ParleyStore
import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

@testable import ParleyPostgreSQL

/// Cells of two versions on one database, as while machines are upgraded one after the other. In place of a later
/// version's program its step of the schema is done here; `scripts/test-upgrade.sh` has an earlier version's program.
@Suite("Cells of two versions", .ownThreads, .postgreSQL, .serialized, .seeded)
struct UpgradeTests {
    private static let next = PostgreSQLMigrations.shipped.version + 1

    /// Touches what every message touches.
    private static let adding = Migration(
        version: next, leastCompatible: PostgreSQLMigrations.shipped.version,
        statements: [
            "ALTER TABLE records ADD COLUMN later BIGINT",
            "ALTER TABLE conversations ADD COLUMN later BIGINT NOT NULL DEFAULT 1",
            "ALTER TABLE members ADD COLUMN later TEXT COLLATE \"C\" NOT NULL DEFAULT 'later'",
            "ALTER TABLE cells ADD COLUMN later BIGINT",
            "CREATE INDEX records_later ON records (later) WHERE later IS NOT NULL",
            "CREATE TABLE later (key BIGINT PRIMARY KEY)",
        ])

    private static let removing = Migration(
        version: next, leastCompatible: next, statements: ["ALTER TABLE members DROP COLUMN told_read_seq"])

    /// Does a step, as a later version's start does.
    ///
    /// - Returns: why not, where it must wait.
    private func refusal(of step: Migration, at site: CellSite) throws -> String? {
        let connection = try site.database.connect()
        defer { connection.close() }
        let steps = PostgreSQLMigrations(steps: PostgreSQLMigrations.shipped.steps + [step])
        try connection.execute(PostgreSQLMigrations.searchPath)
        do {
            try Migrator(connection, of: "the database", steps).run()
            return nil
        } catch {
            let failure = StoreError(anything: error)
            guard failure.isPassing else { throw failure }
            return failure.description
        }
    }

    private func perform(_ step: Migration, at site: CellSite) throws {
        try eventually("the step") { try refusal(of: step, at: site) == nil ? () : nil }
    }

    @Test("what a later version adds comes under load: cells that run go on, and those that end start on it")
    func added() async throws {
        let site = try CellSite()
        let pairs = try (0..<3).map { _ in try site.loadedPair() }
        let second = try #require(site.cells[1].parleyd)
        let run = LoadRun(pairs: pairs, habit: .repeating, seed: Seeded.seed % 1_000_000)
        let outcome = try await run.perform { _ in
            usleep(500_000)
            try perform(Self.adding, at: site)
            usleep(500_000)
            #expect(site.cells[0].endParleyd() == 0)
            try site.cells[0].startParleyd()
            usleep(500_000)
        }
        // A cell that got no processor to keep its lease refuses for a moment.
        outcome.check(mayRefuse: true)
        #expect(second.isRunning && second.identifier == site.cells[1].parleyd?.identifier)
        for cell in site.cells { #expect(!cell.log.contains("could not be committed"), "\(cell.log)") }
        #expect(try site.number("SELECT max(version) FROM parley.schema_version") == Self.next)
    }

    @Test("what running cells need is not taken away; when they have ended it is, and they do not start on it")
    func removed() throws {
        let site = try CellSite()
        #expect(
            try refusal(of: Self.removing, at: site)?.contains("not know the tables of this one: cell1, cell2.") == true
        )
        #expect(site.cells[0].endParleyd() == 0)
        try eventually("the end of a lease") {
            try refusal(of: Self.removing, at: site)?.contains("of this one: cell2.") == true ? () : nil
        }
        let (alice, bob, conversation) = try site.cells[1].pair()
        try bob.listen(to: conversation, "messages")
        let id = try alice.say(in: conversation)
        try bob.hear(id, in: conversation)
        #expect(site.cells[1].endParleyd() == 0)
        try perform(Self.removing, at: site)
        let refused = try site.cells[1].run(["--data", site.cells[1].directory] + site.cells[1].arguments)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("was made by a newer version of Parley"), "\(refused.errors)")
    }

    @Test("a cell that stood still while what it needs was taken away writes nothing, and ends with status 78")
    func stoodStill() throws {
        let site = try CellSite()
        let (alice, _, conversation) = try site.pair(at: 1, 1)
        try alice.say(in: conversation)
        #expect(site.cells[0].endParleyd() == 0)
        let still = try #require(site.cells[1].parleyd)
        still.send(SIGSTOP)
        let late = try alice.begin(8, in: conversation)
        try perform(Self.removing, at: site)
        let before = try site.number("SELECT count(*) FROM parley.records")
        still.send(SIGCONT)
        #expect(try still.awaitEnd("the cell") == 78)
        #expect(try site.number("SELECT count(*) FROM parley.records") == before)
        #expect(late.count == 8)
    }
}

/// The program of an earlier version beside this one's, which `scripts/test-upgrade.sh` builds.
@Suite("An earlier version", .ownThreads, .postgreSQL, .seeded)
struct EarlierVersionTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// Where its programs lie.
    private static let earlier = environment["PARLEY_EARLIER_PRODUCTS"]
    /// How long cells of both versions run side by side.
    private static let seconds = environment["PARLEY_UPGRADE_SECONDS"].flatMap(Int.init) ?? 20

    private func replace(_ programs: String?, of cell: TestGateway) throws {
        #expect(cell.endParleyd() == 0)
        cell.endBroker()
        for machine in cell.machines { try machine.install(programs) }
        try cell.startBroker()
        try cell.startParleyd()
    }

    @Test(
        "cells of it and of this version serve the users of both under load, however far the upgrade has come",
        .enabled(if: earlier != nil, "scripts/test-upgrade.sh runs it"))
    func sideBySide() async throws {
        let site = try CellSite(programs: Self.earlier)
        let pairs = try (0..<3).map { _ in try site.loadedPair() }
        let run = LoadRun(pairs: pairs, habit: .repeating, seed: Seeded.seed % 1_000_000)
        let outcome = try await run.perform { _ in
            usleep(1_000_000)
            try replace(nil, of: site.cells[1])
            sleep(UInt32(Self.seconds / 2))
            // Whoever is not content goes back, and then on.
            try replace(Self.earlier, of: site.cells[1])
            usleep(1_000_000)
            try replace(nil, of: site.cells[0])
            sleep(UInt32(Self.seconds / 2))
            try replace(nil, of: site.cells[1])
            usleep(1_000_000)
        }
        outcome.check()
        for (name, value) in outcome.figures { print("| \(name) | \(value) |") }
        for cell in site.cells {
            #expect(!cell.log.contains("was put back"))
            #expect(!cell.log.contains("could not be committed"), "\(cell.log)")
        }
    }
}
