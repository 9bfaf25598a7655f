import ParleyProtocol
import Testing

/// Floods of publishes at the plugin of a real broker.
extension PluginTests {
    private func floodedBroker(_ change: (inout BrokerLimits) -> Void) throws -> (PluginBroker, intake: WireClient) {
        var limits = BrokerLimits()
        change(&limits)
        let broker = try PluginBroker()
        let intake = try broker.gateway(.intake)
        #expect(try intake.subscribe("parley/v1/up/#") == 1)
        let out = try broker.gateway()
        #expect(try out.snapshot([.limits(limits)] + facts) == .ready(version: 1))
        try out.disconnect()
        return (broker, intake)
    }

    /// All messages up to Bob's: the broker hands over a few at a time.
    private func requests(_ intake: WireClient) throws -> [WireClient.Message] {
        var requests: [WireClient.Message] = []
        while requests.last?.payload != Array("bob".utf8) { requests += try intake.drainRequests() }
        return requests
    }

    @Test("publishes beyond the burst are refused, connecting anew gains nothing, and others are as before")
    func publishBurst() throws {
        let (broker, intake) = try floodedBroker { limits in (limits.publishBurst, limits.publishesPerSecond) = (20, 0)
        }
        let client = try alice.signIn(to: broker)
        let codes = try (0..<30).map { try client.publish("\(alice.up)/profile/get", "\($0)") }
        #expect(codes.prefix(20).allSatisfy { $0 == 0 })
        #expect(codes.suffix(10).allSatisfy { $0 == 0x87 })
        try client.disconnect()
        let again = try alice.signIn(to: broker)
        #expect(try again.publish("\(alice.up)/profile/get", "again") == 0x87)
        #expect(try bob.signIn(to: broker).publish("\(bob.up)/profile/get", "bob") == 0)
        let payloads = try requests(intake).map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(payloads.count == 21)
    }

    @Test(
        "who floods at QoS 0, which nobody answers, is taken off, and turned away for a moment",
        arguments: [2, 300_000])
    func flood(size: Int) throws {
        let (broker, intake) = try floodedBroker { limits in
            (limits.publishBurst, limits.publishesPerSecond) = (200, 50)
        }
        let client = try alice.signIn(to: broker)
        let payload = [UInt8](repeating: 0x20, count: size)
        #expect(throws: WireClient.WireError.self) {
            for _ in 0..<200_000 { try client.publish("\(alice.up)/profile/get", payload, qos: 0) }
        }
        client.close()
        try broker.awaitLog("alice:phone is disconnected: it went on past its limits")
        #expect(try alice.connect(to: broker).code == nil)
        #expect(try bob.signIn(to: broker).publish("\(bob.up)/profile/get", "bob") == 0)
        let passed = try requests(intake).filter { $0.topic.hasPrefix(alice.up) }
        // At the packet limit 16 MiB come before 200 publishes do.
        #expect(passed.count <= 260 && passed.reduce(0) { $0 + $1.payload.count } <= 40 << 20)
    }

    @Test("a publish of thousands of user properties is refused and its sender taken off; of sixty it passes")
    func userProperties() throws {
        let (broker, intake) = try floodedBroker { _ in }
        let client = try alice.signIn(to: broker)
        let topic = "\(alice.up)/profile/get"
        #expect(try client.publish(topic, Array("few".utf8), userProperties: 60) == 0)
        #expect(try client.publish(topic, Array("after".utf8)) == 0)
        #expect(throws: WireClient.WireError.self) {
            for _ in 0..<1_000 { _ = try client.publish(topic, Array("many".utf8), userProperties: 70_000) }
        }
        try broker.awaitLog("alice:phone is disconnected")
        #expect(try alice.connect(to: broker).code == nil)
        #expect(try bob.signIn(to: broker).publish("\(bob.up)/profile/get", "bob") == 0)
        let payloads = try requests(intake).map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(payloads == ["few", "after", "bob"])
    }

    @Test(
        "who sends a packet of 100,000 filters is ended in the middle of it, and the broker lives",
        arguments: [0x82, 0xA2] as [UInt8])
    func filters(_ packet: UInt8) throws {
        let (broker, _) = try floodedBroker { _ in }
        let filter: [UInt8] = packet == 0x82 ? [0, 1, 0x61, 0] : [0, 1, 0x61]
        let body = [0, 1, 0] + repeatElement(filter, count: 380_000 / filter.count).joined()
        let client = try alice.signIn(to: broker)
        // Had the broker gone through all of it, an answer would come before the end.
        #expect {
            try client.send(packet, body)
            _ = try client.nextMessage()
        } throws: { error in
            if case WireClient.WireError.closed = error { true } else { false }
        }
        #expect(try bob.signIn(to: broker).publish("\(bob.up)/profile/get", "bob") == 0)
        #expect(try alice.connect(to: broker).code == nil)
        try broker.awaitLog("alice:phone is disconnected: it went on past its limits")
    }
}
