import ParleyProtocol
import Testing

extension PluginTests {
    @Test("a device's own request passes; a foreign one, a retained one and one at QoS 2 do not")
    func publishing() throws {
        let (broker, _) = try readyBroker()
        let intake = try broker.gateway(.intake)
        #expect(try intake.subscribe("parley/v1/up/#") == 1)
        let device = try alice.signIn(to: broker)
        let own = "\(alice.up)/messages/send"
        #expect(try device.publish(own, "1") == 0)
        #expect(try device.publish("\(bob.up)/messages/send", "2") == 0x87)
        #expect(try device.publish("\(alice.up)/admin/add-user", "3") == 0x87)
        #expect(try device.publish(topic, "4") == 0x87)
        #expect(try device.publish("\(alice.down)/messages/send/accepted", "5") == 0x87)
        #expect(try device.publish(own, "6", retain: true) == 0x87)
        #expect(try device.publish(own, "7", qos: 2) == 0x87)
        #expect(try device.publish(AudienceChange.topic, [1]) == 0x87)
        try device.publish(own, "8", qos: 0)
        #expect(try device.publish(own, "9") == 0)
        #expect(try intake.drainRequests().map { String(decoding: $0.payload, as: UTF8.self) } == ["1", "8", "9"])
    }

    @Test("wildcards over ids, shared and foreign subscriptions are refused in both versions")
    func subscribing() throws {
        let (broker, _) = try readyBroker()
        for (version, refusal) in [(WireClient.Version.v5, UInt8(0x87)), (.v311, 0x80)] {
            let device = try alice.signIn(to: broker, version: version)
            for filter in [
                "#", "parley/v1/#", "parley/v1/conversations/+/messages", "parley/v1/conversations/#",
                "parley/v1/conversations/\(ConversationID.random())/messages", "parley/v1/users/+/events",
                "parley/v1/users/bob/events", "parley/v1/down/+/phone/#", "\(bob.down)/#", "\(alice.up)/#", "$SYS/#",
                "$share/g/\(topic)", "$CONTROL/#", "parley/v1/gateway/stats/+",
            ] { #expect(try device.subscribe(filter) == refusal, "\(filter)") }
            for filter in [topic, "\(alice.down)/#", "parley/v1/users/alice/#", "parley/v1/gateway/status"] {
                #expect(try device.subscribe(filter) == 1, "\(filter)")
            }
            #expect(try device.unsubscribe(topic) == 0)
        }
    }

    @Test("an operator hears everything but other devices' requests and replies, and publishes only its own")
    func operators() throws {
        let (broker, out) = try readyBroker()
        let client = try console.signIn(to: broker)
        #expect(try client.subscribe("#") == 0x87)
        #expect(try client.subscribe("\(alice.up)/#") == 0x87)
        #expect(try client.subscribe("parley/v1/#") == 1)
        let device = try alice.signIn(to: broker)
        #expect(try device.publish("\(alice.up)/messages/send", "request") != 0x87)
        try out.publish("\(alice.down)/messages/send/accepted", "reply")
        try out.publish(topic, "event")
        try out.publish("parley/v1/gateway/stats/sessions", "1", qos: 0)
        #expect(try client.publish(topic, "forged") == 0x87)
        #expect(try client.publish("\(console.up)/admin/add-user", "{}") != 0x87)
        #expect(
            try received(client) == [
                topic, "parley/v1/gateway/stats/sessions", "\(console.up)/admin/add-user",
            ])
    }
}

// MARK: Wills

extension PluginTests {
    @Test("no will of a device is delivered: lost connection, asked for, delayed, taken over, revoked")
    func wills() throws {
        let (broker, out) = try readyBroker()
        #expect(try out.subscribe("parley/v1/#") == 1)
        for topic in ["\(alice.up)/messages/send", topic] {
            for version in [WireClient.Version.v5, .v311] {
                let will = WireClient.Will(topic: topic)
                try alice.signIn(to: broker, version: version, will: will).close()
                let first = try alice.signIn(to: broker, version: version, will: will)
                let second = try alice.signIn(to: broker, version: version, will: will)
                _ = try first.waitUntilClosed()
                try second.disconnect(withWill: version == .v5)
            }
            let delayed = WireClient.Will(topic: topic, delay: 1)
            try alice.signIn(to: broker, sessionExpiry: 60, will: delayed).close()
            let kicked = try alice.signIn(to: broker, connection: "x", will: WireClient.Will(topic: topic))
            try out.tell([.deviceEnded(alice.address), alice.change()])
            _ = try kicked.waitUntilClosed()
        }
        // The delayed wills fire within the time of one of the gateway's, which does come.
        let status = WireClient.Will(topic: "parley/v1/gateway/status", delay: 3)
        try broker.gateway(.intake, will: status).close()
        #expect(try out.nextMessage().topic == "parley/v1/gateway/status")
        #expect(try received(out) == [])
    }
}
