import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// One run: devices under load in conversations of two, processes killed at random moments, and what came of it.
struct KillRun: Sendable {
    var parleydKills: Int
    var brokerKills: Int
    var habit: LoadedDevice.Habit
    /// Decides the moments and the order of the kills and what devices send; how far the processes have come then no
    /// seed decides.
    var seed: UInt64

    private static let conversations = 3
    /// Between two kills, in milliseconds: some come while the last one is being recovered from.
    private static let pause = 50...1200

    /// The plan of the environment (`scripts/kill-test.sh`), or else few kills.
    static func configured(_ habit: LoadedDevice.Habit, parleyd: Int, broker: Int) -> KillRun {
        func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap(Int.init) }
        return KillRun(
            parleydKills: number("PARLEY_KILLS_PARLEYD") ?? parleyd,
            brokerKills: broker == 0 ? 0 : number("PARLEY_KILLS_MOSQUITTO") ?? broker, habit: habit,
            seed: number("PARLEY_KILL_SEED").map { UInt64(bitPattern: Int64($0)) } ?? Seeded.seed % 1_000_000)
    }

    func perform() async throws -> LoadRun.Outcome {
        let gateway = try TestGateway()
        let pairs = try (0..<KillRun.conversations).map { _ in
            let pair = try gateway.pair()
            guard let id = ConversationID(pair.conversation) else { throw NeverCameError("a conversation's id") }
            return LoadRun.Pair(
                id: id, devices: [(gateway, pair.alice.credentials), (gateway, pair.bob.credentials)])
        }
        let outcome = try await LoadRun(pairs: pairs, habit: habit, seed: seed).perform { _ in try kill(gateway) }
        #expect(!gateway.log.contains("was put back"), "a killed gateway's database is the one that it left")
        return outcome
    }

    private enum Victim { case parleyd, broker }

    private func kill(_ gateway: TestGateway) throws {
        var generator = Seeded(seed: seed)
        let victims =
            (Array(repeating: Victim.parleyd, count: parleydKills) + Array(repeating: .broker, count: brokerKills))
            .shuffled(using: &generator)
        for victim in victims {
            usleep(UInt32(Int.random(in: KillRun.pause, using: &generator)) * 1000)
            switch victim {
            case .parleyd:
                gateway.endParleyd(SIGKILL)
                try gateway.launchParleyd()
            case .broker:
                gateway.endBroker(SIGKILL)
                try gateway.startBroker()
            }
        }
        usleep(500_000)
        try gateway.awaitReady()
    }
}
