import ParleyProtocol
import Testing

/// The plugin's bounds on a real broker's memory.
extension PluginTests {
    /// Signs in to the session that was kept, as often as it takes: a sign-in may be closed without a verdict.
    private func comeBack(_ device: TestDevice, to broker: PluginBroker) throws -> WireClient {
        for _ in 0..<50 {
            let (client, code) = try device.connect(to: broker, clean: false, sessionExpiry: 600)
            if code == 0 { return client }
            guard code == nil else { throw WireClient.WireError.closed(reason: code) }
        }
        throw WireClient.WireError.timeout
    }

    @Test("a device that is away gets what was kept within its share, and hears again from then on")
    func awayBytes() throws {
        let (broker, out) = try limitedBroker { $0.awayBytesPerDevice = 20_000 }
        let session = try bob.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try session.subscribe(topic) == 1)
        try session.disconnect()
        let payload = [UInt8](repeating: 0x20, count: 1_000)
        for _ in 0..<40 { try out.publish(topic, payload) }
        let back = try comeBack(bob, to: broker)
        let kept = try back.drain().count
        #expect(kept >= 14 && kept <= 18)
        try out.publish(topic, "now")
        #expect(try back.drain().map(\.payload) == [Array("now".utf8)])
    }

    @Test("what is kept stays within a device's share, however often it comes back and reads nothing")
    func readsNothing() throws {
        let (broker, out) = try limitedBroker { $0.awayBytesPerDevice = 20_000 }
        let session = try bob.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try session.subscribe(topic) == 1)
        try session.disconnect()
        let payload = [UInt8](repeating: 0x20, count: 1_000)
        for _ in 0..<6 {
            for _ in 0..<20 { try out.publish(topic, payload) }
            try comeBack(bob, to: broker).close()
        }
        // A connection that has lost much of its queue must be made anew.
        var kept: [WireClient.Message] = []
        var back = try comeBack(bob, to: broker)
        while true {
            do {
                try out.publish(topic, "now")
                let heard = try back.drain()
                kept += heard.filter { $0.payload == payload }
                if heard.contains(where: { $0.payload == Array("now".utf8) }) { break }
            } catch WireClient.WireError.closed {
                back = try comeBack(bob, to: broker)
            }
        }
        #expect(kept.count <= 18)
    }

    @Test(
        "connections that do not read are ended when the broker holds too much, and what was kept for them is dropped")
    func slowReaders() throws {
        let (broker, out) = try limitedBroker { $0.memoryBytes = 6 << 20 }
        let slow = try (0..<4).map { number in
            let client = try alice.signIn(
                to: broker, connection: number == 0 ? nil : "slow\(number)", clean: number > 0,
                sessionExpiry: number == 0 ? 600 : 0)
            #expect(try client.subscribe(topic) == 1)
            return client
        }
        let events = "parley/v1/users/bob/events"
        let reader = try bob.signIn(to: broker)
        #expect(try reader.subscribe(events) == 1)
        let payload = [UInt8](repeating: 0x20, count: 8_000)
        for number in 0..<2_000 {
            try out.publish(topic, payload)
            if number % 100 == 0 { try out.publish(events, "\(number)") }
        }
        // A read would show that it was closed, but end the slowness: the plugin's report says so.
        let intake = try broker.gateway(.intake)
        var counts = BrokerCounts()
        while counts.slowReadersEnded < 4 {
            let message = try intake.nextMessage()
            if message.topic == BrokerCounts.topic { counts = try #require(BrokerCounts(message: message.payload)) }
        }
        for client in slow { _ = try client.waitUntilClosed() }
        #expect(try reader.drain().count == 20)
        #expect(broker.log.contains(" is ended: the broker holds too much for those who do not read"))
        #expect(!broker.log.contains("bob:phone is ended"))
        // The session is there, and nothing in it; who comes back hears what comes then.
        var back = try comeBack(alice, to: broker)
        while true {
            do {
                try out.publish(topic, "now")
                guard let last = try back.drain().last else { continue }
                #expect(last.payload == Array("now".utf8))
                break
            } catch WireClient.WireError.closed {
                back = try comeBack(alice, to: broker)
            }
        }
    }

    @Test(
        "a session that was left by whoever did not read is removed by the gateway, which takes their place for a moment"
    )
    func sessionRemoval() throws {
        let (broker, out) = try limitedBroker { $0.memoryBytes = 6 << 20 }
        let intake = try broker.gateway(.intake)
        let slow = try alice.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try slow.subscribe(topic) == 1)
        func remove() throws -> UInt8? {
            let claims = GatewayConnection.out.claims(id: .random(), expiresAt: PluginBroker.seconds(fromNow: 60))
            let client = try broker.localClient()
            defer { client.close() }
            return try client.connect(
                alice.clientID, username: GatewayConnection.username, password: broker.token(claims))
        }
        #expect(try remove() == 0x87)
        let payload = [UInt8](repeating: 0x20, count: 16_000)
        for _ in 0..<1_000 { try out.publish(topic, payload) }
        _ = try slow.waitUntilClosed()
        var asked: [ClientID]?
        while asked == nil {
            let message = try intake.nextMessage()
            if message.topic == SessionRemoval.topic { asked = SessionRemoval.ids(in: message.payload) }
        }
        #expect(asked?.map(\.description) == [alice.clientID])
        #expect(try remove() == 0)
        #expect(try remove() == 0x87)
        // The session is gone, and its subscription with it.
        let back = try comeBack(alice, to: broker)
        try out.publish(topic, "now")
        #expect(try back.drain().isEmpty)
        #expect(try back.subscribe(topic) == 1)
        try out.publish(topic, "later")
        #expect(try back.drain().map(\.payload) == [Array("later".utf8)])
    }
}
