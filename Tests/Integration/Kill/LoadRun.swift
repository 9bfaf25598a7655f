import MQTTClient
import ParleyProtocol
import Platform
import TestSupport
import Testing

/// Devices under load in conversations of two, while something is done to the gateway, and what came of it.
struct LoadRun: Sendable {
    /// Two devices that talk, each at a gateway.
    struct Pair: Sendable {
        let id: ConversationID
        let devices: [(gateway: TestGateway, credentials: DeviceCredentials)]
    }

    let pairs: [Pair]
    let habit: LoadedDevice.Habit
    /// Decides what devices send.
    let seed: UInt64

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

    /// - Parameter disturb: ends the load when it has done its worst; runs on a thread of its own.
    func perform(_ disturb: @escaping @Sendable (Load) throws -> Void) async throws -> Outcome {
        let load = Load(devices: pairs.reduce(0) { $0 + $1.devices.count })
        let (began, habit) = (ContinuousClock.now, habit)
        return try await withThrowingTaskGroup(of: (Int, LoadedDevice.Record)?.self) { group in
            for (index, pair) in pairs.enumerated() {
                for (number, device) in pair.devices.enumerated() {
                    let random = Seeded(seed: seed &+ UInt64(2 * index + number + 1))
                    group.addTask {
                        try await LoopThread.run(name: "device") {
                            let device = LoadedDevice(
                                device.gateway, device.credentials, pair.id, habit, load, random)
                            return (index, try device.run())
                        }
                    }
                }
            }
            group.addTask {
                try await LoopThread.run(name: "killer") {
                    defer { load.end() }
                    try disturb(load)
                }
                return nil
            }
            var records: [Int: [LoadedDevice.Record]] = [:]
            for try await case (let index, let record)? in group { records[index, default: []].append(record) }
            let duration = ContinuousClock.now - began
            let conversations = try pairs.enumerated().map { index, pair in
                Conversation(devices: records[index] ?? [], history: try history(of: pair))
            }
            return Outcome(conversations: conversations, duration: duration)
        }
    }

    private func history(of pair: Pair) throws -> [Entry] {
        guard let device = pair.devices.first else { return [] }
        var client = try device.gateway.connect(device.credentials)
        var history: [Entry] = []
        var hasMore = true
        while hasMore {
            let fields: JSON = [
                "conversation_id": .string("\(pair.id)"), "after": .int(history.last?.seq ?? 0), "limit": 200,
            ]
            let page: JSON
            do {
                page = try client.accepted("history/get", fields)
            } catch is MQTTError {
                // A cell that was too busy to keep its lease has ended the connections of its devices.
                client = try device.gateway.connect(device.credentials)
                continue
            }
            hasMore = page["has_more"] == true
            for message in page["messages"].elements {
                guard let id = message["id"].text.flatMap({ MessageID($0) }), let seq = message["seq"].int else {
                    throw NeverCameError("a record with id and seq")
                }
                history.append(
                    Entry(
                        id: id, seq: seq, target: message["target_id"].text.flatMap { MessageID($0) },
                        hasContent: message["encrypted_content"] != .null))
            }
        }
        return history
    }
}

extension LoadRun.Outcome {
    /// What was answered is in history once, in order, and has reached everybody.
    ///
    /// - Parameter mayRefuse: whether requests may have been refused for the moment: then those that were sent after
    ///   them went before their repeats.
    func check(mayRefuse: Bool = false) {
        for conversation in conversations {
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
                #expect(order == order.sorted() || mayRefuse)
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
    }

    /// What is printed of a run.
    var figures: [(String, Int)] {
        let devices = conversations.flatMap(\.devices)
        return [
            ("seconds", Int(duration.components.seconds)), ("devices", devices.count),
            ("messages, edits and deletions answered", devices.reduce(0) { $0 + $1.answers.count }),
            ("of them deletions", devices.reduce(0) { $0 + $1.deleted.count }),
            ("records in history", conversations.reduce(0) { $0 + $1.history.count }),
            ("requests repeated", devices.reduce(0) { $0 + $1.repeats }),
            ("connections made again", devices.reduce(0) { $0 + $1.reconnects }),
            ("lost, doubled, out of order or missing", devices.reduce(0) { $0 + $1.faults.count }),
        ]
    }
}
