import Foundation
import Glibc
import Launch
import PostgreSQLServer
import TestSupport
import Testing

/// Cells and their store killed at random moments, while devices at two cells talk to each other. A few times here;
/// `PARLEY_CELL_KILLS` says how often.
@Suite("Kills of cells", .ownThreads, .postgreSQL, .serialized, .seeded)
struct CellKillTests {
    private static let seed = Seeded.seed % 1_000_000
    /// Between two kills, in milliseconds: some come while the last one is being recovered from.
    private static let pause = 50...1200

    private static func kills(_ few: Int) -> Int {
        ProcessInfo.processInfo.environment["PARLEY_CELL_KILLS"].flatMap(Int.init) ?? few
    }

    private enum Victim: CaseIterable { case parleyd, broker, both }

    @Test("cells are killed: what was answered is in history once, in order, and reaches everybody at both")
    func cells() async throws {
        let site = try CellSite()
        try await check(site) { [seed = Self.seed] in
            var random = Seeded(seed: seed)
            for _ in 0..<Self.kills(6) {
                usleep(UInt32(random.number(Self.pause)) * 1000)
                let cell = try random.element(site.cells)
                let victim = try random.element(Victim.allCases)
                if victim != .broker { cell.endParleyd(SIGKILL) }
                if victim != .parleyd {
                    cell.endBroker(SIGKILL)
                    try cell.startBroker()
                }
                if victim != .broker { try cell.launchParleyd() }
            }
            usleep(500_000)
            for cell in site.cells { try cell.awaitReady() }
        }
        for cell in site.cells { #expect(!cell.log.contains("every conversation has a new epoch")) }
    }

    @Test("PostgreSQL ends without a word and comes again: nothing that was answered is lost, and both cells go on")
    func store() async throws {
        let site = try CellSite()
        let cells = site.cells.compactMap(\.parleyd)
        try await check(site, mayRefuse: true) { [seed = Self.seed] in
            var random = Seeded(seed: seed)
            for _ in 0..<Self.kills(2) {
                usleep(UInt32(random.number(Self.pause)) * 1000)
                if random.chance(0.5) { site.server.stop(with: SIGQUIT) } else { site.server.kill() }
                usleep(UInt32(random.number(0...500)) * 1000)
                try site.server.start()
            }
            usleep(500_000)
        }
        // The same processes.
        #expect(cells.filter(\.isRunning).count == 2)
    }

    private func check(
        _ site: CellSite, mayRefuse: Bool = false, _ disturb: @escaping @Sendable () throws -> Void
    ) async throws {
        let pairs = try (0..<3).map { _ in try site.loadedPair() }
        let run = LoadRun(pairs: pairs, habit: .repeating, seed: Self.seed)
        let outcome = try await run.perform { _ in try disturb() }
        outcome.check(mayRefuse: mayRefuse)
        for (name, value) in outcome.figures { print("| \(name) | \(value) |") }
        // What is committed in each stream ends where its cell says.
        #expect(
            try site.number(
                "SELECT count(*) FROM parley.cells c JOIN parley.records r ON r.position > c.position "
                    + "AND r.position >> 48 = c.cell") == 0)
    }
}
