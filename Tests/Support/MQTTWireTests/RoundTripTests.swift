import MQTTPackets
import MQTTWire
import Testing

@Suite("What one side writes the other reads")
struct RoundTripTests {
    @Test("a device's packets, one after the other")
    func fromDevices() throws {
        let topic = String(repeating: "t", count: 200)
        var bytes = try PacketWriter.connect(
            clientID: "alice:phone", username: "alice", password: "p", keepsSession: true)
        bytes += try PacketWriter.subscribe(to: ["a", "b/#"], packet: 7)
        bytes += try PacketWriter.publish(topic: topic, payload: [1, 2]).bytes + PacketWriter.disconnect
        var read: [String] = []
        while let packet = try ClientPacket.take(from: &bytes) {
            switch packet {
            case .connect(let clientID): read.append(clientID)
            case .subscribe(let packet, let filters): read.append("\(packet) \(filters)")
            case .publish(let publish): read.append("\(publish.topic) \(publish.payload)")
            case .disconnect: read.append("disconnect")
            case .acknowledge, .unsubscribe, .ping: Issue.record("\(packet)")
            }
        }
        #expect(read == ["alice:phone", #"7 ["a", "b/#"]"#, "\(topic) [1, 2]", "disconnect"])
        #expect(bytes.isEmpty)
    }

    @Test("a broker's packets: an event with its number, a reply with its properties")
    func fromBroker() throws {
        let bytes =
            BrokerPacket.event("a/b", [1], packet: 300)
            + BrokerPacket.reply("c", [UInt8](repeating: 2, count: 200), correlationData: [9, 9])
        let (event, next) = try #require(try PacketReader.next(in: bytes.span, from: 0, to: bytes.count))
        let (reply, end) = try #require(try PacketReader.next(in: bytes.span, from: next, to: bytes.count))
        guard case .delivery(let event) = event, case .delivery(let reply) = reply else {
            Issue.record("\(event), \(reply)")
            return
        }
        #expect(event.identifier == 300 && bytes[event.topic].elementsEqual("a/b".utf8) && bytes[event.payload] == [1])
        #expect(reply.identifier == nil && reply.payload.count == 200)
        #expect(reply.correlationData.map { bytes[$0] } == [9, 9])
        #expect(end == bytes.count)
    }

    @Test(
        "a field that reaches beyond its packet, an unknown property and a length without an end are refused",
        arguments: [
            [0x82, 4, 0, 1, 0, 9], [0x30, 3, 0, 9, 0], [0x30, 6, 0, 1, 0x61, 2, 0x7F, 0], [0x30, 5, 0, 1, 0x61, 9, 0],
            [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 1],
        ] as [[UInt8]])
    func malformed(_ bytes: [UInt8]) {
        var input = bytes
        #expect(throws: WireError.malformed) { try ClientPacket.take(from: &input) }
    }
}
