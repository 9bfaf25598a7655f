import TestSupport
import Testing

@testable import ParleyWeb

@Suite("Packets of somebody who has signed in")
struct ClientPacketStreamTests {
    private static let packets: [[UInt8]] = [
        [0x30, 3, 0, 1, 0x61], [0x3D, 5, 0, 1, 0x61, 0, 1], [0x40, 2, 0, 1], [0x50, 2, 0, 1], [0x62, 2, 0, 1],
        [0x70, 2, 0, 1], [0x82, 6, 0, 1, 0, 1, 0x61, 0], [0xA2, 5, 0, 1, 0, 1, 0x61], [0xC0, 0], [0xE0, 0],
        [0x30, 0x80, 1] + [UInt8](repeating: 0xFF, count: 128),
    ]

    @Test("what a client sends passes, wherever it is cut", .seeded)
    func passes() throws {
        var random = Seeded(stream: 44)
        for _ in 0..<200 {
            let stream = try (0..<20).flatMap { _ in try random.element(Self.packets) }
            var packets = ClientPacketStream()
            var position = 0
            while position < stream.count {
                let end = min(stream.count, position + random.number(1...30))
                try packets.follow(Array(stream[position..<end]).span)
                position = end
            }
        }
    }

    @Test(
        "what a client never sends ends it",
        arguments: [0x10, 0x20, 0x36, 0x41, 0x60, 0x63, 0x80, 0x90, 0xA0, 0xB0, 0xC1, 0xD0, 0xE1, 0xF0, 0x00] as [UInt8]
    )
    func types(_ first: UInt8) throws {
        var packets = ClientPacketStream()
        try packets.follow([0xC0, 0].span)
        #expect(throws: MQTTRefusal.protocolError) { try packets.follow([first].span) }
    }

    @Test("a packet is as long as the broker takes, and not one byte longer")
    func length() throws {
        var packets = ClientPacketStream()
        try packets.follow([0x30, 0x80, 0x80, 0x18].span)
        for _ in 0..<96 { try packets.follow([UInt8](repeating: 0, count: 4096).span) }
        try packets.follow([0xC0, 0].span)
        #expect(throws: MQTTRefusal.tooLong) { try packets.follow([0x30, 0x81, 0x80, 0x18].span) }
        packets = ClientPacketStream()
        #expect(throws: MQTTRefusal.tooLong) { try packets.follow([0x30, 0xFF, 0xFF, 0xFF, 0x7F].span) }
        packets = ClientPacketStream()
        #expect(throws: MQTTRefusal.protocolError) { try packets.follow([0x30, 0xFF, 0xFF, 0xFF, 0xFF].span) }
    }
}
