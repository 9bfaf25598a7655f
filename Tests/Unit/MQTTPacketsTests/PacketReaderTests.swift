import MQTTPackets
import TestSupport
import Testing

@Suite("Packets of the broker are split as they come")
struct PacketReaderTests {
    private static let delivery: [UInt8] = [0x33, 11, 0, 3] + Array("a/b".utf8) + [0, 9, 0, 1, 2, 3]

    @Test("half a packet is none, wherever it ends")
    func halves() throws {
        let packet = Self.delivery
        for end in 0..<packet.count {
            #expect(try PacketReader.next(in: packet.span, from: 0, to: end) == nil)
        }
        #expect(try PacketReader.next(in: packet.span, from: 0, to: packet.count)?.next == packet.count)
    }

    @Test("one packet follows the other")
    func sequence() throws {
        let bytes: [UInt8] =
            [0x20, 3, 0, 0, 0] + [0x90, 5, 0, 1, 0, 1, 0x87] + [0x40, 3, 0, 9, 0x10] + [0x40, 2, 0, 8]
            + [0xB0, 4, 0, 2, 0, 0x11] + Self.delivery + [0x30, 4, 0, 1, 0x61, 0] + [0xD0, 0] + [0xE0, 1, 0x8E]
            + [0xE0, 0]
        let seen = try packets(in: bytes)
        #expect(seen.count == 10)
        guard case .connected(let connected) = seen[0], case .subscribed(1, let granted) = seen[1],
            case .acknowledged(9, .noMatchingSubscribers) = seen[2], case .acknowledged(8, .success) = seen[3],
            case .unsubscribed(2, let ended) = seen[4], case .delivery(let event) = seen[5],
            case .delivery(let lesser) = seen[6], case .pong = seen[7],
            case .disconnected(.sessionTakenOver) = seen[8], case .disconnected(.success) = seen[9]
        else {
            Issue.record("\(seen)")
            return
        }
        #expect(connected.reason == .success && !connected.isSessionPresent)
        #expect(bytes[granted] == [1, 0x87] && bytes[ended] == [0x11])
        #expect(bytes[event.topic].elementsEqual("a/b".utf8) && bytes[event.payload] == [1, 2, 3])
        #expect(event.identifier == 9 && event.isRetained)
        #expect(lesser.identifier == nil && lesser.payload.isEmpty && !lesser.isRetained)
    }

    @Test("CONNACK says what the broker takes")
    func connected() throws {
        let properties: [UInt8] =
            [0x21, 0, 20] + [0x27, 0, 6, 0, 0] + [0x13, 2, 0x58] + [0x12, 0, 2, 0x61, 0x62] + [0x11, 0, 0, 0, 9]
            + [0x26, 0, 1, 0x6B, 0, 0] + [0x26, 0, 0, 0, 0]
        let bytes = [0x20, UInt8(properties.count + 3), 1, 0, UInt8(properties.count)] + properties
        guard case .connected(let answer) = try #require(try packets(in: bytes).first) else {
            Issue.record("it is no CONNACK")
            return
        }
        #expect(answer.isSessionPresent)
        #expect(answer.properties.receiveMaximum == 20 && answer.properties.maximumPacketSize == 393_216)
        #expect(answer.properties.serverKeepAlive == 600 && answer.properties.sessionExpiry == 9)
        #expect(answer.properties.assignedClientID.map { bytes[$0] } == [0x61, 0x62])
    }

    @Test("the correlation data of a delivery is found among its properties")
    func correlation() throws {
        let properties: [UInt8] = [0x0B, 0x80, 1] + [0x0B, 2] + [0x09, 0, 2, 7, 8] + [0x01, 1]
        let bytes = [0x30, UInt8(properties.count + 5), 0, 1, 0x61, UInt8(properties.count)] + properties + [5]
        guard case .delivery(let delivery) = try #require(try packets(in: bytes).first) else {
            Issue.record("it is no PUBLISH")
            return
        }
        #expect(delivery.correlationData.map { bytes[$0] } == [7, 8] && bytes[delivery.payload] == [5])
    }

    @Test(
        "what no broker sends is refused",
        arguments: [
            "an endless length": [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 1],
            "a length that could be shorter": [0xD0, 0x80, 0],
            "a topic beyond its packet": [0x30, 3, 0, 9, 0],
            "no topic": [0x30, 3, 0, 0, 0],
            "QoS 2": [0x34, 6, 0, 1, 0x61, 0, 1, 0],
            "QoS 3": [0x36, 6, 0, 1, 0x61, 0, 1, 0],
            "identifier 0": [0x32, 6, 0, 1, 0x61, 0, 0, 0],
            "properties beyond their packet": [0x30, 5, 0, 1, 0x61, 9, 0],
            "an unknown property": [0x30, 6, 0, 1, 0x61, 2, 0x7F, 0],
            "a property of 63 and more": [0x30, 6, 0, 1, 0x61, 2, 0xFF, 0],
            "a property that ends too soon": [0x30, 7, 0, 1, 0x61, 3, 0x09, 0, 9],
            "a property twice": [0x20, 9, 0, 0, 6, 0x21, 0, 1, 0x21, 0, 1],
            "a receive maximum of 0": [0x20, 6, 0, 0, 3, 0x21, 0, 0],
            "a packet size of 0": [0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 0],
            "flags in CONNACK": [0x21, 3, 0, 0, 0],
            "an acknowledgement of 2 and more": [0x20, 3, 2, 0, 0],
            "a CONNACK of MQTT 3.1.1": [0x20, 2, 0, 0],
            "more than a CONNACK": [0x20, 4, 0, 0, 0, 0],
            "an empty CONNACK": [0x20, 0],
            "an empty PUBACK": [0x40, 0],
            "half a PUBACK": [0x40, 1, 0],
            "a SUBACK without a reason": [0x90, 3, 0, 1, 0],
            "a PINGRESP with content": [0xD0, 1, 0],
            "a DISCONNECT with more than properties": [0xE0, 3, 0, 0, 0],
            "CONNECT": [0x10, 0], "SUBSCRIBE": [0x82, 0], "PUBREC": [0x50, 2, 0, 1], "AUTH": [0xF0, 0],
            "type 0": [0x00, 0],
        ] as [String: [UInt8]])
    func malformed(_ name: String, _ bytes: [UInt8]) {
        #expect(throws: WireError.malformed) { try packets(in: bytes) }
    }

    @Test("a packet that is too long is refused by its header")
    func tooLong() throws {
        let header: [UInt8] = [0x30, 0x81, 0x80, 0x01]
        #expect(try PacketReader.next(in: header.span, from: 0, to: 4, longest: 16_385) == nil)
        #expect(throws: WireError.tooLong) {
            _ = try PacketReader.next(in: header.span, from: 0, to: 4, longest: 16_384)
        }
    }

    @Test("whatever comes is read or refused, and every place is within it", .seeded)
    func random() throws {
        var random = Seeded(stream: 31)
        let firsts: [UInt8] = [0x20, 0x30, 0x32, 0x33, 0x40, 0x90, 0xB0, 0xD0, 0xE0]
        for _ in 0..<20_000 {
            let body = (0..<random.number(0...40)).map { _ in
                random.chance(0.7) ? UInt8(random.number(0...12)) : UInt8(random.number(0...255))
            }
            let bytes = [try random.element(firsts), UInt8(body.count)] + body
            guard let packet = try? packets(in: bytes).first else { continue }
            for place in packet.places { #expect(place.lowerBound >= 2 && place.upperBound <= bytes.count) }
        }
    }

    private func packets(in bytes: [UInt8]) throws -> [InboundPacket] {
        var found: [InboundPacket] = []
        var position = 0
        while let (packet, next) = try PacketReader.next(in: bytes.span, from: position, to: bytes.count) {
            found.append(packet)
            position = next
        }
        #expect(position == bytes.count)
        return found
    }
}

extension InboundPacket {
    fileprivate var places: [Range<Int>] {
        switch self {
        case .connected(let connected): [connected.properties.assignedClientID].compactMap(\.self)
        case .delivery(let delivery):
            [delivery.topic, delivery.payload] + [delivery.correlationData].compactMap(\.self)
        case .subscribed(_, let reasons), .unsubscribed(_, let reasons): [reasons]
        case .acknowledged, .pong, .disconnected: []
        }
    }
}
