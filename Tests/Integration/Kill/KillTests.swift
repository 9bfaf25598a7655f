import ParleyProtocol
import TestSupport
import Testing

/// kill -9 at random moments under load. A few times here; many times by `scripts/kill-test.sh`, which runs the same.
@Suite("Kills", .ownThreads, .serialized, .seeded)
struct KillTests {
    @Test(
        "requests that are sent once are all carried out, however often the gateway is killed",
        .oneMachine(.connection))
    func trusting() async throws {
        try await check(.configured(.trusting, parleyd: 5, broker: 0))
    }

    @Test("gateway and broker killed: what was answered is in history once, in order, and reaches everybody")
    func repeating() async throws {
        try await check(.configured(.repeating, parleyd: 5, broker: 2))
    }

    private func check(_ run: KillRun) async throws {
        print("kills: \(run.parleydKills) of parleyd, \(run.brokerKills) of mosquitto, seed \(run.seed)")
        let outcome = try await run.perform()
        outcome.check()
        report(run, outcome)
    }

    private func report(_ run: KillRun, _ outcome: LoadRun.Outcome) {
        let kills = [("kill -9 of parleyd", run.parleydKills), ("kill -9 of mosquitto", run.brokerKills)]
        for (name, value) in kills + outcome.figures { print("| \(name) | \(value) |") }
    }
}
