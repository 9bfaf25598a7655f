import ParleyProtocol
import TestSupport
import Testing

/// kill -9 at random moments under load. A few times here; many times by `scripts/kill-test.sh`, which runs the same.
@Suite("Kills", .ownThreads, .serialized, .seeded)
struct KillTests {
    @Test("requests that are sent once are all carried out, however often the gateway is killed")
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
        for conversation in outcome.conversations {
            let log = conversation.history.map(\.id)
            #expect(conversation.history.map(\.seq) == Array(1...max(1, log.count)))
            let seqs = Dictionary(conversation.history.map { ($0.id, $0.seq) }) { first, _ in first }
            #expect(seqs.count == log.count, "a message is in history twice")
            for device in conversation.devices {
                #expect(device.faults == [])
                #expect(device.log == log, "a receiver's log is not the history")
                // All were answered, so all must be there, under the seq that the answer gave, in the order of sending.
                #expect(device.answers.count == device.sent.count)
                #expect(device.sent.map { seqs[$0] } == device.sent.map { device.answers[$0] })
                let order = device.sent.compactMap { seqs[$0] }
                #expect(order == order.sorted())
            }
            #expect(conversation.devices.reduce(0) { $0 + $1.sent.count } == log.count)
            // Deleted messages and their edits have no content, and all others have.
            let deleted = conversation.devices.reduce(into: Set<MessageID>()) { $0.formUnion($1.deleted) }
            let deletions = conversation.history.filter { $0.target.map(deleted.contains) ?? false }
            #expect(Set(deletions.compactMap(\.target)) == deleted)
            for entry in conversation.history {
                #expect(entry.hasContent != deleted.contains(entry.target ?? entry.id))
            }
        }
        report(run, outcome)
    }

    private func report(_ run: KillRun, _ outcome: KillRun.Outcome) {
        let devices = outcome.conversations.flatMap(\.devices)
        let rows: [(String, Int)] = [
            ("kill -9 of parleyd", run.parleydKills), ("kill -9 of mosquitto", run.brokerKills),
            ("seconds", Int(outcome.duration.components.seconds)), ("devices", devices.count),
            ("messages, edits and deletions answered", devices.reduce(0) { $0 + $1.answers.count }),
            ("of them deletions", devices.reduce(0) { $0 + $1.deleted.count }),
            ("records in history", outcome.conversations.reduce(0) { $0 + $1.history.count }),
            ("requests repeated", devices.reduce(0) { $0 + $1.repeats }),
            ("connections made again", devices.reduce(0) { $0 + $1.reconnects }),
            ("lost, doubled, out of order or missing", devices.reduce(0) { $0 + $1.faults.count }),
        ]
        for (name, value) in rows { print("| \(name) | \(value) |") }
    }
}
