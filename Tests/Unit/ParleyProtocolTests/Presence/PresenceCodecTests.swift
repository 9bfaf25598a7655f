import ParleyProtocol
import TestSupport
import Testing

@Suite("Reports of presence", .seeded)
struct PresenceCodecTests {
    static let alice = UserID(validated: "alice")
    static let long = UserID(validated: String(repeating: "u", count: 64))
    static let sample: [PresenceReport] = [
        .begin(broker: .max, count: 2), .everyone([alice, long]), .everyone([]), .end, .online(long), .offline(alice),
    ]

    @Test("reports are read back in their order, from one message")
    func roundTrip() {
        let messages = PresenceCodec.messages(for: Self.sample)
        #expect(messages.count == 1)
        #expect(PresenceCodec.reports(in: messages[0]) == Self.sample)
        #expect(PresenceCodec.messages(for: [PresenceReport]()).isEmpty)
    }

    @Test("a big set is spread over messages of bounded length, nobody lost", arguments: [0, 1, 500, 501, 20_000])
    func bigSet(count: Int) {
        let users = (0..<count).map { UserID(validated: "user-\($0)-" + String(repeating: "x", count: 50)) }
        let reports = PresenceReport.set(of: users, broker: 7)
        #expect(reports.first == .begin(broker: 7, count: UInt32(count)) && reports.last == .end)
        let messages = PresenceCodec.messages(for: reports)
        #expect(messages.allSatisfy { $0.count <= PresenceCodec.usualLength })
        let read = messages.flatMap { PresenceCodec.reports(in: $0) ?? [] }
        #expect(read == reports)
        let told = read.flatMap { report in
            if case .everyone(let users) = report { users } else { [UserID]() }
        }
        #expect(told == users)
    }

    @Test("a message cut anywhere inside a report is none")
    func truncation() {
        let message = PresenceCodec.messages(for: Self.sample)[0]
        var whole: Set<Int> = [1]
        for count in 1...Self.sample.count {
            whole.insert(PresenceCodec.messages(for: Self.sample.prefix(count))[0].count)
        }
        for length in 0..<message.count {
            #expect((PresenceCodec.reports(in: Array(message.prefix(length))) != nil) == whole.contains(length))
        }
    }

    @Test("what no plugin would send is refused")
    func hostile() {
        let online = PresenceCodec.messages(for: [.online(Self.alice)])[0]
        #expect(PresenceCodec.reports(in: online) != nil)
        let cases: [[UInt8]] = [
            [], [0], [2] + online.dropFirst(), online + [4], [1, 0], [1, 6], [1, 4, 0], [1, 4, 1, UInt8(ascii: "/")],
            [1, 4, 65] + [UInt8](repeating: UInt8(ascii: "u"), count: 65), [1, 2, 1, 245], [1, 2, 0xFF, 0xFF],
            [1] + [UInt8](repeating: 3, count: PresenceCodec.maximumLength), Array("{}".utf8),
        ]
        for message in cases { #expect(PresenceCodec.reports(in: message) == nil, "\(message.prefix(8))") }
    }

    @Test("mutated and random messages are read or refused, and never trap")
    func mutated() {
        var generator = Seeded(stream: 140)
        for round in 0..<20_000 {
            var message = PresenceCodec.messages(for: Self.sample)[0]
            generator.mutate(&message)
            if round % 10 == 0 { message = generator.bytes(0...64) }
            guard let reports = PresenceCodec.reports(in: message), !reports.isEmpty else { continue }
            #expect(PresenceCodec.messages(for: reports).flatMap { PresenceCodec.reports(in: $0) ?? [] } == reports)
        }
    }
}
