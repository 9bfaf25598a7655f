import Foundation
import Platform
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

    /// What came of one conversation.
    struct Conversation: Sendable {
        let devices: [LoadedDevice.Record]
        /// As the gateway serves it in the end.
        let history: [Entry]
    }

    /// A record of a history.
    struct Entry: Sendable {
        let id: MessageID
        let seq: Int
        let target: MessageID?
        let hasContent: Bool
    }

    struct Outcome: Sendable {
        let conversations: [Conversation]
        let duration: Duration
    }

    func perform() async throws -> Outcome {
        let gateway = try TestGateway()
        let pairs = try (0..<KillRun.conversations).map { _ in try gateway.pair() }
            .map { pair in
                (devices: [pair.alice.credentials, pair.bob.credentials], id: ConversationID(pair.conversation))
            }
        let load = Load(devices: pairs.count * 2)
        let (began, habit) = (ContinuousClock.now, habit)
        return try await withThrowingTaskGroup(of: (Int, LoadedDevice.Record)?.self) { group in
            for (index, pair) in pairs.enumerated() {
                guard let id = pair.id else { throw NeverCameError("a conversation's id") }
                for (number, credentials) in pair.devices.enumerated() {
                    let random = Seeded(seed: seed &+ UInt64(2 * index + number + 1))
                    group.addTask {
                        try await LoopThread.run(name: "device") {
                            (index, try LoadedDevice(gateway, credentials, id, habit, load, random).run())
                        }
                    }
                }
            }
            group.addTask { [self] in
                try await LoopThread.run(name: "killer") { try kill(gateway, load) }
                return nil
            }
            var records: [Int: [LoadedDevice.Record]] = [:]
            for try await case (let index, let record)? in group { records[index, default: []].append(record) }
            let duration = ContinuousClock.now - began
            #expect(!gateway.log.contains("was put back"), "a killed gateway's database is the one that it left")
            let conversations = try pairs.enumerated().map { index, pair in
                Conversation(
                    devices: records[index] ?? [],
                    history: try history(of: pair.id, by: try gateway.connect(pair.devices[0])))
            }
            return Outcome(conversations: conversations, duration: duration)
        }
    }

    private enum Victim { case parleyd, broker }

    private func kill(_ gateway: TestGateway, _ load: Load) throws {
        defer { load.end() }
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

    private func history(of id: ConversationID?, by client: DeviceClient) throws -> [Entry] {
        guard let id else { return [] }
        var history: [Entry] = []
        var page = JSON.null
        repeat {
            page = try client.accepted(
                "history/get",
                ["conversation_id": .string("\(id)"), "after": .int(history.last?.seq ?? 0), "limit": 200])
            for message in page["messages"].elements {
                guard let id = message["id"].text.flatMap({ MessageID($0) }), let seq = message["seq"].int else {
                    throw NeverCameError("a record with id and seq")
                }
                history.append(
                    Entry(
                        id: id, seq: seq, target: message["target_id"].text.flatMap { MessageID($0) },
                        hasContent: message["encrypted_content"] != .null))
            }
        } while page["has_more"] == true
        return history
    }
}
