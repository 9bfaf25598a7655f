import MQTTPackets
import Testing

@Suite("A client's packets are written as MQTT 5 has them")
struct OutboundPacketTests {
    @Test("CONNECT with all that it can ask for, and with nothing")
    func connect() throws {
        var connect = OutboundPacket.Connect(
            clientID: [0x61, 0x3A, 0x62], username: [0x61], password: [0xFF, 0], keepAliveSeconds: 300)
        #expect(
            try OutboundPacket.connect(connect).bytes
                == [0x10, 23, 0, 4, 0x4D, 0x51, 0x54, 0x54, 5, 0xC2, 1, 0x2C, 0, 0, 3, 0x61, 0x3A, 0x62]
                + [0, 1, 0x61, 0, 2, 0xFF, 0])
        connect.isCleanStart = false
        connect.sessionExpirySeconds = 3600
        connect.receiveMaximum = 1000
        connect.maximumPacketSize = 393_216
        #expect(
            try OutboundPacket.connect(connect).bytes
                == [0x10, 36, 0, 4, 0x4D, 0x51, 0x54, 0x54, 5, 0xC0, 1, 0x2C]
                + [13, 0x11, 0, 0, 0x0E, 0x10, 0x21, 3, 0xE8, 0x27, 0, 6, 0, 0]
                + [0, 3, 0x61, 0x3A, 0x62, 0, 1, 0x61, 0, 2, 0xFF, 0])
    }

    @Test("PUBLISH at both qualities, with and without properties")
    func publish() throws {
        var publish = OutboundPacket.Publish(topic: [0x74], payload: [1, 2], identifier: nil)
        #expect(try OutboundPacket.publish(publish).bytes == [0x30, 6, 0, 1, 0x74, 0, 1, 2])
        publish.identifier = 0x0102
        publish.responseTopic = [0x72]
        publish.correlationData = [9, 9]
        #expect(
            try OutboundPacket.publish(publish).bytes
                == [0x32, 17, 0, 1, 0x74, 1, 2, 9, 0x08, 0, 1, 0x72, 0x09, 0, 2, 9, 9, 1, 2])
    }

    @Test("the small ones")
    func small() throws {
        let filters = [
            OutboundPacket.Subscription(filter: [0x61], quality: .atLeastOnce),
            OutboundPacket.Subscription(filter: [0x62], quality: .atMostOnce),
        ]
        #expect(
            try OutboundPacket.subscribe(filters, packet: 7).bytes
                == [0x82, 11, 0, 7, 0, 0, 1, 0x61, 1, 0, 1, 0x62, 0])
        #expect(
            try OutboundPacket.unsubscribe([[0x61]], packet: 8).bytes == [0xA2, 6, 0, 8, 0, 0, 1, 0x61])
        #expect(try OutboundPacket.acknowledge(packet: 300).bytes == [0x40, 2, 1, 0x2C])
        #expect(try OutboundPacket.ping.bytes == [0xC0, 0])
        #expect(try OutboundPacket.disconnect.bytes == [0xE0, 0])
    }

    @Test("what is appended stands behind what was there, and a payload of any length is read back")
    func appended() throws {
        var bytes: [UInt8] = []
        let counts = [0, 100, 127, 128, 20_000, 2_097_152]
        for count in counts {
            let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
            try OutboundPacket.publish(.init(topic: [0x74], payload: payload, identifier: 1)).append(to: &bytes)
        }
        var position = 0
        for count in counts {
            let read = try #require(try PacketReader.next(in: bytes.span, from: position, to: bytes.count))
            guard case .delivery(let delivery) = read.packet else {
                Issue.record("\(read.packet)")
                return
            }
            #expect(delivery.payload.count == count)
            #expect(bytes[delivery.payload].allSatisfy { $0 == UInt8(truncatingIfNeeded: count) })
            position = read.next
        }
        #expect(position == bytes.count)
    }

    @Test("a field has at most 65,535 bytes; of a packet with a longer one nothing is written")
    func tooLong() throws {
        let longest = [UInt8](repeating: 0x61, count: 65_535)
        #expect(throws: Never.self) {
            try OutboundPacket.publish(.init(topic: longest, payload: [], identifier: nil)).bytes
        }
        let packets: [OutboundPacket] = [
            .publish(.init(topic: longest + [0x61], payload: [], identifier: nil)),
            .publish(.init(topic: [0x61], payload: [], identifier: 1, correlationData: longest + [0])),
            .connect(.init(clientID: [0x61], username: [0x61], password: longest + [0x61], keepAliveSeconds: 0)),
            .subscribe([.init(filter: longest + [0x61], quality: .atMostOnce)], packet: 1),
            .unsubscribe([[0x61], longest + [0x61]], packet: 1),
        ]
        var bytes: [UInt8] = [1, 2, 3]
        for packet in packets {
            #expect(throws: WireError.tooLong) { try packet.append(to: &bytes) }
            #expect(bytes == [1, 2, 3])
        }
    }
}
