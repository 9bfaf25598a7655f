import MemoryTransport
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("A client over a network that loses, delays, doubles and reorders", .seeded, .timeLimit(.minutes(20)))
struct ClientOverMemoryTests {
    private let texts = (1...12).map { "message \($0)" }

    /// What bob opens of a message.
    private static func object(_ text: String) -> String { #"{"text":"\#(text)"}"# }

    /// Fates of the events of conversations' messages, by their number; everything else arrives.
    private static func messages(_ fate: @escaping @Sendable (Int) -> Fate) -> Weather {
        Weather { passage in
            guard case .event(let topic) = passage.leg, case .conversation(_, .messages)? = Topic(topic) else {
                return .arrives
            }
            return fate(passage.number)
        }
    }

    @Test(
        "whatever becomes of packets, each message stands in the log once and in the order in which it was written",
        arguments: 0..<6)
    func foulSending(run: Int) async throws {
        let device = try MemoryDevice(.foul(0.1, Seeded(stream: 9100 + UInt64(run))))
        try await device.chat { [texts] client, chat, _ in
            var sent: [MessageID] = []
            for text in texts { sent.append(try await client.send(.text(text), to: chat)) }
            for (index, id) in sent.enumerated() { #expect(try await client.outcome(of: id).seq == index + 1) }
            #expect(device.broker.records(of: chat) == sent)
        }
        #expect(device.broker.heard == texts.map(Self.object))
    }

    /// What is told of bob's texts, which come in this weather to a client that has the log's beginning.
    private func told(_ device: MemoryDevice, _ weather: Weather) async throws -> [String] {
        try await device.chat { [texts] _, _, events in
            try device.bobSays(["the first"])
            // From here on what is missing is fetched only if it is missed.
            _ = try await events.texts(of: device.bob, until: "the first")
            device.broker.set(weather)
            try device.bobSays(texts)
            // One that arrives shows what is missing before it.
            device.broker.set(.fair)
            try device.bobSays(["the last"])
            return try await events.texts(of: device.bob, until: "the last")
        }
    }

    @Test("whatever becomes of packets, each message of others is told once and in its order", arguments: 0..<6)
    func foulReceiving(run: Int) async throws {
        let told = try await told(MemoryDevice(), .foul(0.1, Seeded(stream: 9200 + UInt64(run))))
        #expect(told == texts + ["the last"])
    }

    @Test("what has arrived is reported before the client ends, and nobody waits for a gateway that does not answer")
    func partingReceipts() async throws {
        for isAnswered in [true, false] {
            let replies = Counter()
            let device = try MemoryDevice()
            _ = try await device.chat { _, _, events in
                device.broker.set(
                    Weather { passage in
                        switch passage.leg {
                        case .request(MarkDelivered.operation): return isAnswered ? .delayed(.milliseconds(150)) : .lost
                        case .reply(MarkDelivered.operation): replies.next()
                        case .request, .reply, .event: break
                        }
                        return .arrives
                    })
                try device.bobSays(["the last"])
                return try await events.texts(of: device.bob, until: "the last")
            }
            // A client that waits long for an answer asks again: there may be more than one.
            #expect((replies.count > 0) == isAnswered)
        }
    }

    @Test("events that come twice are told once")
    func doubled() async throws {
        let told = try await told(MemoryDevice(), Self.messages { _ in .doubled })
        #expect(told == texts + ["the last"])
    }

    @Test("events that overtake one another are told in the order of the log")
    func overtaken() async throws {
        let told = try await told(
            MemoryDevice(), Self.messages { $0.isMultiple(of: 2) ? .arrives : .overtaken(.milliseconds(20 * $0)) })
        #expect(told == texts + ["the last"])
    }

    @Test("events that are lost are fetched as soon as a later one shows that they are missing")
    func lost() async throws {
        let device = try MemoryDevice()
        let told = try await told(device, Self.messages { [3, 4, 8].contains($0) ? .lost : .arrives })
        #expect(told == texts + ["the last"])
        #expect(device.broker.requests.contains(GetHistory.operation))
    }

    @Test("a message whose own event is lost is asked about again, and counts as sent by the reply")
    func lostEcho() async throws {
        let device = try MemoryDevice(Self.messages { $0 == 1 ? .lost : .arrives })
        try await device.chat { client, chat, _ in
            let id = try await client.send(.text("Hello"), to: chat)
            #expect(try await client.outcome(of: id).seq == 1)
            #expect(device.broker.records(of: chat) == [id])
        }
        #expect(device.broker.requests.filter { $0 == SendMessage.operation }.count == 2)
    }

    @Test("connections that break while messages leave double none and lose none")
    func breaking() async throws {
        let device = try MemoryDevice()
        try await device.chat { [texts] client, chat, _ in
            var sent: [MessageID] = []
            for text in texts {
                sent.append(try await client.send(.text(text), to: chat))
                device.broker.dropConnections()
            }
            for id in sent { _ = try await client.outcome(of: id) }
            #expect(device.broker.records(of: chat) == sent)
        }
        #expect(device.broker.connections > 1)
        #expect(device.broker.heard == texts.map(Self.object))
    }
}
