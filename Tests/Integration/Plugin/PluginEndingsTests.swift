import ParleyProtocol
import Testing

extension PluginTests {
    @Test("revoking a device closes all its connections at once and keeps it out")
    func revoking() throws {
        let (broker, out) = try readyBroker()
        let connections = try [nil, "a", "b"].map { try alice.signIn(to: broker, connection: $0) }
        let other = try bob.signIn(to: broker)
        try out.tell([.deviceEnded(alice.address)])
        for client in connections { #expect(try client.waitUntilClosed() == 0x98) }
        #expect(try alice.connect(to: broker).code == 0x87)
        #expect(try other.publish("\(bob.up)/messages/send", "still here") != 0x87)
    }

    @Test("a token made anew ends the old one and its sessions")
    func newToken() throws {
        let (broker, out) = try readyBroker()
        let session = try alice.signIn(to: broker)
        var again = alice
        again.token = .random()
        try out.tell([again.change()])
        #expect(try session.waitUntilClosed() == 0x98)
        #expect(try alice.connect(to: broker).code == 0x87)
        #expect(try again.connect(to: broker).code == 0)
    }

    @Test("a session ends when its token does")
    func expiry() throws {
        let (broker, out) = try readyBroker()
        var brief = alice
        brief.token = .random()
        try out.tell([brief.change()])
        let session = try brief.signIn(to: broker)
        brief.expiresAt = PluginBroker.seconds(fromNow: 2)
        try out.tell([brief.change()])
        #expect(try session.waitUntilClosed() == 0x98)
        #expect(PluginBroker.seconds(fromNow: 0) >= brief.expiresAt)
        #expect(try brief.connect(to: broker).code == 0x87)
    }

    @Test("removing a member ends delivery to live subscriptions and stored sessions, re-adding resumes it")
    func removal() throws {
        let (broker, out) = try readyBroker()
        let live = try alice.signIn(to: broker)
        #expect(try live.subscribe(topic) == 1)
        let stored = try bob.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try stored.subscribe(topic) == 1)
        try stored.disconnect()
        try out.publish(topic, "1")
        try out.tell([.conversation(conversation, members: [])])
        try out.publish(topic, "2")
        #expect(try live.drain().map(\.payload) == [Array("1".utf8)])
        let waiting = try bob.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try received(waiting) == [])
        try out.tell([.conversation(conversation, members: [alice.address.user, bob.address.user])])
        try out.publish(topic, "3")
        #expect(try live.drain().map(\.payload) == [Array("3".utf8)])
        #expect(try waiting.drain().map(\.payload) == [Array("3".utf8)])
    }

    @Test("what is malformed shuts the devices out until a new snapshot, and the broker lives")
    func failsClosed() throws {
        let (broker, out) = try readyBroker()
        let session = try alice.signIn(to: broker)
        try out.publish(AudienceChange.topic, "not a change")
        #expect(
            try AudienceCodec.answer(in: out.nextMessage().payload) == .snapshotNeeded(.unsupportedFormat))
        _ = try session.waitUntilClosed()
        try out.publish(AudienceChange.topic, "")
        #expect(try AudienceCodec.answer(in: out.nextMessage().payload) == .snapshotNeeded(.malformed))
        #expect(try alice.connect(to: broker).code == nil)
        #expect(try out.snapshot(facts, version: 2) == .ready(version: 2))
        #expect(try alice.connect(to: broker).code == 0)
    }
}

// MARK: Restarts, settings

extension PluginTests {
    @Test("sessions of before a restart of the broker are judged by the new snapshot")
    func restart() throws {
        let (broker, out) = try readyBroker()
        for device in [alice, bob] {
            let session = try device.signIn(to: broker, clean: false, sessionExpiry: 600)
            #expect(try session.subscribe(topic) == 1)
            try session.disconnect()
        }
        let intake = try broker.gateway(.intake)
        #expect(try intake.subscribe("parley/v1/up/#") == 1)
        try intake.disconnect()
        out.close()
        broker.stop()
        try broker.start()
        let again = try broker.gateway()
        try again.publish(topic, "before the snapshot")
        let members: AudienceChange = .conversation(conversation, members: [bob.address.user])
        #expect(try again.snapshot([alice, bob, eve].map { $0.change() } + [members]) == .ready(version: 1))
        try again.publish(topic, "after")
        #expect(try eve.signIn(to: broker).publish("\(eve.up)/messages/send", "waits") == 0)
        let former = try alice.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try former.drain() == [])
        let member = try bob.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try member.drain().map(\.payload) == [Array("after".utf8)])
        #expect(try broker.gateway(.intake).drainRequests().map(\.payload) == [Array("waits".utf8)])
    }

    @Test("the broker does not start without a readable public key of the right length, and its log says why")
    func settings() throws {
        let cases: [(options: String?, key: [UInt8]?, sentence: String)] = [
            ("", nil, "plugin_opt_public_key_file is missing"),
            ("plugin_opt_public_key_file /nonexistent/key", nil, "cannot open /nonexistent/key: No such file"),
            ("plugin_opt_operator_listeners tcp", nil, "operator_listeners is tcp: it must be unix, loopback or any"),
            ("plugin_opt_public_key /x", nil, "unknown option plugin_opt_public_key"),
            (nil, [UInt8](repeating: 0, count: 31), "is no public key: it must have 32 bytes"),
            (nil, [UInt8](repeating: 0, count: 33), "is no public key: it must have 32 bytes"),
        ]
        for (options, key, sentence) in cases {
            let broker = try PluginBroker(publicKey: key, options: options, operatorListeners: nil, start: false)
            #expect(try broker.startAndFail() != 0)
            #expect(broker.log.contains(sentence), "\(broker.log)")
        }
    }

    @Test("a message reaches the members and nobody else")
    func delivery() throws {
        let (broker, out) = try readyBroker()
        let clients = try [alice, bob, eve].map { try $0.signIn(to: broker) }
        #expect(try clients.map { try $0.subscribe(topic) } == [1, 1, 0x87])
        #expect(try out.publish(topic, "hello") == 0)
        #expect(try clients.map { try $0.drain().map(\.topic) } == [[topic], [topic], []])
    }
}
