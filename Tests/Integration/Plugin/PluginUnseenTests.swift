import MQTTWire
import ParleyProtocol
import TestSupport
import Testing

/// Packets that the broker shows the plugin only in part, or not at all.
extension PluginTests {
    enum Packet: UInt8, CaseIterable {
        case puback = 0x40
        case pubcomp = 0x70
        case subscribe = 0x82
        case unsubscribe = 0xA2
    }

    enum Transport: CaseIterable {
        case tcp, webSocket
    }

    private func signIn(_ device: TestDevice, to broker: PluginBroker, over transport: Transport) throws -> WireClient {
        let client = try open(broker, transport)
        let code = try client.connect(device.clientID, username: device.user, password: broker.token(device.claims))
        guard code == 0 else { throw WireClient.WireError.closed(reason: code) }
        return client
    }

    private func open(_ broker: PluginBroker, _ transport: Transport) throws -> WireClient {
        switch transport {
        case .tcp: try broker.client()
        case .webSocket: try broker.webSocketClient()
        }
    }

    @Test(
        "who sends packets of tens of thousands of properties that the plugin is not shown is taken off",
        arguments: Packet.allCases, Transport.allCases)
    func unseenProperties(_ packet: Packet, _ transport: Transport) throws {
        let (broker, _) = try readyBroker()
        let client = try signIn(alice, to: broker, over: transport)
        #expect(throws: WireClient.WireError.self) {
            for _ in 0..<1_000 { try client.send(packet, filter: "\(alice.down)/x", userProperties: 70_000) }
        }
        #expect(throws: WireClient.WireError.self) { try client.drain() }
        #expect(broker.log.contains("alice:phone is disconnected: it sent too much that is no message"))
        #expect(try alice.connect(to: broker).code == nil)
        try eventually("the reason: \(broker.log)") {
            broker.log.contains("the device was just disconnected for going on past its limits") ? () : nil
        }
        #expect(try bob.signIn(to: broker).publish("\(bob.up)/profile/get", "bob").map { $0 < 0x80 } == true)
    }

    @Test("connecting anew for each such packet gains nothing", arguments: Transport.allCases)
    func unseenReconnects(_ transport: Transport) throws {
        let (broker, _) = try readyBroker()
        var admitted = 0
        #expect(throws: WireClient.WireError.self) {
            while admitted < 100 {
                let client = try signIn(alice, to: broker, over: transport)
                admitted += 1
                try client.send(.puback, filter: "", userProperties: 70_000)
                // The broker has read it when it answers.
                _ = try client.drain()
                client.close()
                // It takes the next connection as one more, or has seen the end of this one.
                _ = try bob.signIn(to: broker).drain()
            }
        }
        // What came of one such packet is borne; the third is ended as soon as the second is known to have ended.
        #expect((1...3).contains(admitted))
        #expect(try alice.connect(to: broker).code == nil)
        try eventually("the reason: \(broker.log)") {
            broker.log.contains("the device was just disconnected for going on past its limits") ? () : nil
        }
    }

    @Test("an operator may send what they like")
    func unseenOperator() throws {
        let (broker, _) = try readyBroker()
        let client = try console.signIn(to: broker)
        for _ in 0..<20 { try client.send(.puback, filter: "", userProperties: 70_000) }
        #expect(try client.drain().isEmpty)
    }

    @Test(
        "who publishes as much as they may, and acknowledges thousands of messages, is not taken off",
        arguments: Transport.allCases)
    func unseenHonest(_ transport: Transport) throws {
        let (broker, out) = try readyBroker()
        let client = try signIn(alice, to: broker, over: transport)
        #expect(try client.subscribe("parley/v1/users/alice/events") == 1)
        // A burst in bytes, then the rest of one in numbers.
        let large = [UInt8](repeating: 0x20, count: 150_000)
        for _ in 0..<100 { #expect(try client.publish("\(alice.up)/profile/get", large).map { $0 < 0x80 } == true) }
        for _ in 0..<1_500 { #expect(try client.publish("\(alice.up)/profile/get", "x").map { $0 < 0x80 } == true) }
        var heard = 0
        for _ in 0..<50 {
            for _ in 0..<100 { _ = try out.publish("parley/v1/users/alice/events", "event") }
            while heard % 100 < 99 {
                _ = try client.nextMessage()
                heard += 1
            }
            _ = try client.nextMessage()
            heard += 1
        }
        #expect(heard == 5_000)
        // When it ends, all that was not shown is charged.
        try client.disconnect()
        let again = try signIn(alice, to: broker, over: transport)
        #expect(try again.drain().isEmpty)
        #expect(!broker.log.contains("is disconnected"))
    }
}

extension WireClient {
    /// A packet of which the broker reads all these properties, of an empty name and an empty value each.
    fileprivate func send(_ packet: PluginTests.Packet, filter: String, userProperties count: Int) throws {
        let properties = PacketBytes.emptyUserProperties(count)
        let number: [UInt8] = [0, 1]
        switch packet {
        case .puback, .pubcomp: try send(packet.rawValue, number + [0] + properties)
        case .subscribe: try send(packet.rawValue, number + properties + PacketBytes.text(filter) + [1])
        case .unsubscribe: try send(packet.rawValue, number + properties + PacketBytes.text(filter))
        }
    }
}
