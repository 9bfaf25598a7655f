import MQTTPackets
import TestSupport
import Testing

@Suite("CONNECT as a server reads it")
struct ConnectRequestTests {
    private static let name: [UInt8] = [0, 4] + Array("MQTT".utf8)
    private static let texts: [UInt8] = [0, 3, 0x61, 0x3A, 0x62, 0, 1, 0x61, 0, 2, 8, 9]
    /// MQTT 3.1.1, and MQTT 5 with an expiry of the session.
    private static let old = name + [4, 0xC2, 0, 60] + texts
    private static let new = name + [5, 0xC2, 0, 60, 5, 0x11, 0, 0, 0, 9] + texts

    @Test("both versions are read, with their fields", arguments: [old, new])
    func fields(_ body: [UInt8]) throws {
        let connect = try ConnectRequest(in: body.span, body: body.indices)
        #expect(connect.version == (body == Self.old ? .mqtt311 : .mqtt5) && !connect.hasWill)
        #expect(body[connect.clientID].elementsEqual("a:b".utf8))
        #expect(connect.username.map { body[$0] } == [0x61] && connect.password.map { body[$0] } == [8, 9])
    }

    @Test("a will is passed over, and told")
    func will() throws {
        let old = Self.name + [4, 0xC6, 0, 60, 0, 1, 0x63, 0, 1, 0x74, 0, 0, 0, 1, 0x61, 0, 1, 8]
        let new =
            Self.name + [5, 0xEE, 0, 60, 0, 0, 1, 0x63] + [5, 0x18, 0, 0, 0, 1, 0, 1, 0x74, 0, 0]
            + [0, 1, 0x61, 0, 1, 8]
        for body in [old, new] {
            let connect = try ConnectRequest(in: body.span, body: body.indices)
            #expect(connect.hasWill && connect.username.map { body[$0] } == [0x61])
        }
    }

    @Test("what is not sent is not there")
    func anonymous() throws {
        let body = Self.name + [5, 0, 0, 0, 0, 0, 0]
        let connect = try ConnectRequest(in: body.span, body: body.indices)
        #expect(connect.username == nil && connect.password == nil && connect.clientID.isEmpty)
    }

    @Test("one that ends too soon or too late is refused", arguments: [old, new])
    func truncated(_ body: [UInt8]) {
        for end in body.indices {
            #expect(throws: WireError.malformed) { try ConnectRequest(in: body.span, body: 0..<end) }
        }
        let longer = body + [0]
        #expect(throws: WireError.malformed) { try ConnectRequest(in: longer.span, body: longer.indices) }
    }

    @Test(
        "other protocols, versions and flags are refused",
        arguments: [
            [0, 6] + Array("MQIsdp".utf8) + [3, 0xC2, 0, 60] + texts,
            [0, 4] + Array("MQTt".utf8) + [4, 0xC2, 0, 60] + texts,
            name + [3, 0xC2, 0, 60] + texts, name + [6, 0xC2, 0, 60, 0] + texts,
            // Reserved; details of no will; a will at QoS 3; a password without username in MQTT 3.1.1.
            name + [4, 0xC3, 0, 60] + texts, name + [4, 0xE2, 0, 60] + texts, name + [4, 0xCA, 0, 60] + texts,
            name + [4, 0xDE, 0, 60, 0, 1, 0x63, 0, 1, 0x74, 0, 0, 0, 1, 0x61, 0, 1, 8],
            name + [4, 0x42, 0, 60, 0, 1, 0x63, 0, 1, 8],
        ] as [[UInt8]])
    func refused(_ body: [UInt8]) {
        #expect(throws: WireError.malformed) { try ConnectRequest(in: body.span, body: body.indices) }
    }

    @Test("whatever is changed in one, it is read or refused, and every place is within it", .seeded)
    func random() throws {
        var random = Seeded(stream: 32)
        for _ in 0..<20_000 {
            var body = try random.element([Self.old, Self.new])
            for _ in 0..<random.number(1...3) {
                body[random.number(0...(body.count - 1))] = UInt8(random.number(0...255))
            }
            guard let connect = try? ConnectRequest(in: body.span, body: body.indices) else { continue }
            for place in [connect.clientID, connect.username ?? 0..<0, connect.password ?? 0..<0] {
                #expect(place.upperBound <= body.count)
            }
        }
    }
}
