import MQTTWire
import Testing

@Suite("Packets are split as they come")
struct PacketReaderTests {
    @Test("half a packet is none, wherever it ends")
    func halves() throws {
        let packet = PacketWriter.publish(topic: "a/b", payload: [UInt8](repeating: 7, count: 300)).bytes
        for end in 0..<packet.count {
            #expect(try PacketReader.next(in: packet, from: 0, to: end) == nil)
        }
        #expect(try PacketReader.next(in: packet, from: 0, to: packet.count)?.next == packet.count)
    }

    @Test("one packet follows the other")
    func sequence() throws {
        let bytes: [UInt8] = [0x20, 3, 0, 0, 0] + [0x90, 5, 0, 1, 0, 1, 0x87] + [0x40, 3, 0, 9, 0x10] + [0xE0, 0]
        var position = 0
        var seen: [String] = []
        while let (packet, next) = try PacketReader.next(in: bytes, from: position, to: bytes.count) {
            switch packet {
            case .connected(let reason, _): seen.append("connected \(reason)")
            case .subscribed(let reasons): seen.append("subscribed \(Array(bytes[reasons]))")
            case .acknowledged(let reason): seen.append("acknowledged \(reason)")
            case .delivery: seen.append("delivery")
            case .disconnected(let reason): seen.append("disconnected \(reason)")
            case .other(let type): seen.append("other \(type)")
            }
            position = next
        }
        #expect(seen == ["connected 0", "subscribed [1, 135]", "acknowledged 16", "disconnected 0"])
        #expect(position == bytes.count)
    }

    @Test("a length without an end is refused")
    func endlessLength() {
        #expect(throws: WireError.malformed) {
            _ = try PacketReader.next(in: [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 1], from: 0, to: 6)
        }
    }
}
