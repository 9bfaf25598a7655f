import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// The plugin's limits on devices, at a real broker.
extension PluginTests {
    @Test(
        "connections beyond a device's, a user's and everybody's are closed without a verdict; a take-over is none more"
    )
    func connectionLimits() throws {
        let (broker, _) = try limitedBroker { limits in
            (limits.connectionsPerDevice, limits.connectionsPerUser, limits.connections) = (2, 3, 4)
        }
        let phone = try alice.signIn(to: broker)
        let tool = try alice.signIn(to: broker, connection: "a")
        #expect(try alice.connect(to: broker, connection: "b").code == nil)
        let again = try alice.signIn(to: broker)
        _ = try phone.waitUntilClosed()
        #expect(try alice.connect(to: broker, connection: "b").code == nil)
        tool.close()
        try again.disconnect()
        // The broker may find out later that the others have gone.
        let newcomers = try [(bob, nil), (bob, "a"), (eve, nil), (eve, "a")].map { (person, name: String?) in
            try eventually("room for another") {
                let (client, code) = try person.connect(to: broker, connection: name)
                return code == 0 ? client : nil
            }
        }
        #expect(try alice.connect(to: broker).code == nil)
        // Operators come in by the gateway's own socket, however full it is.
        #expect(try console.connect(to: broker).code == nil)
        #expect(try console.connect(to: broker, isLocal: true).code == 0)
        for client in newcomers { client.close() }
    }

    @Test("a device connects under so many names a day, and under those as often as it likes")
    func names() throws {
        let (broker, out) = try limitedBroker { $0.connectionNamesPerDay = 3 }
        for _ in 0..<3 {
            for name in ["a", "b", "c"] { try alice.signIn(to: broker, connection: name).disconnect() }
        }
        #expect(try alice.connect(to: broker, connection: "d").code == nil)
        #expect(try alice.connect(to: broker, connection: "a").code == 0)
        #expect(try bob.connect(to: broker, connection: "d").code == 0)
        // The gateway starts anew, and the plugin still knows.
        out.close()
        var limits = BrokerLimits()
        limits.connectionNamesPerDay = 3
        #expect(try broker.gateway().snapshot([.limits(limits)] + facts, version: 2) == .ready(version: 2))
        #expect(try alice.connect(to: broker, connection: "d").code == nil)
    }

    @Test("MQTT 3.1 is closed without a verdict")
    func oldProtocol() throws {
        let (broker, _) = try readyBroker()
        let client = try broker.client()
        let code = try client.connect(
            alice.clientID, username: alice.user, password: broker.token(alice.claims), version: .v31)
        #expect(code == nil)
        #expect(broker.log.contains("speaks MQTT 3.1"))
    }

    @Test(
        "of many refused sign-ins a line a second is logged, with address and reason, and the gateway is told how many")
    func refusedSignIns() throws {
        let (broker, _) = try readyBroker()
        let intake = try broker.gateway(.intake)
        var stranger = alice
        stranger.token = .random()
        let started = ContinuousClock.now
        for _ in 0..<300 { #expect(try stranger.connect(to: broker).code == 0x87) }
        let seconds = Int((ContinuousClock.now - started).components.seconds)
        let lines = broker.log.split(separator: "\n").filter { $0.contains("may not sign in") }
        #expect(lines.count <= min(seconds + 2, 299))
        let line = try #require(lines.first)
        #expect(line.contains("alice:phone from 127.0.0.1 may not sign in: token replaced or device revoked"))
        #expect(try intake.counts { $0.refusedSignIns >= 300 }.refusedSignIns == 300)
    }

    @Test(
        "of many denied subscriptions a line a second is logged, with the reason and what can be printed of the filter")
    func deniedSubscriptions() throws {
        let (broker, _) = try readyBroker()
        let client = try alice.signIn(to: broker)
        let started = ContinuousClock.now
        for _ in 0..<40 { #expect(try client.subscribe("parley/v1/users/bob/%s%n é") == 0x87) }
        let seconds = Int((ContinuousClock.now - started).components.seconds)
        try broker.awaitLog("may not subscribe")
        let lines = broker.log.split(separator: "\n").filter { $0.contains("may not subscribe") }
        #expect(lines.count <= min(seconds + 2, 39))
        let line = try #require(lines.first)
        #expect(
            line.contains(
                "alice:phone may not subscribe to parley/v1/users/bob/%s%n???: it is not the device's own, or there is no such "
                    + "topic"))
    }

    @Test("who subscribes again and again is refused beyond the rate, then taken off, and turned away for a moment")
    func subscribeRate() throws {
        let (broker, _) = try limitedBroker { limits in (limits.subscribeBurst, limits.subscribesPerSecond) = (50, 0) }
        let client = try alice.signIn(to: broker)
        let codes = try (0..<60).map { _ in try client.subscribe("parley/v1/users/alice/events") }
        #expect(codes.prefix(50).allSatisfy { $0 == 1 })
        #expect(codes.suffix(10).allSatisfy { $0 == 0x87 })
        // Connecting anew gains nothing.
        try client.disconnect()
        let again = try alice.signIn(to: broker)
        #expect(try again.subscribe("parley/v1/users/alice/events") == 0x87)
        do {
            for _ in 0..<10_000 { _ = try again.subscribe("parley/v1/users/alice/events") }
            Issue.record("not disconnected")
        } catch WireClient.WireError.closed {}
        try broker.awaitLog("alice:phone is disconnected")
        #expect(try alice.connect(to: broker).code == nil)
        #expect(try bob.connect(to: broker).code == 0)
    }

    @Test("a device has as many filters as it can hear by, also those of the session that was kept for it")
    func filterCount() throws {
        let (broker, _) = try readyBroker()
        func subscribe(_ client: WireClient, _ numbers: Range<Int>) throws -> [UInt8] {
            try numbers.map { try client.subscribe("\(alice.down)/\($0)") }
        }
        // 512 and the seven filters of one conversation.
        let client = try alice.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try subscribe(client, 0..<530).map { $0 == 1 } == (0..<530).map { $0 < 519 })
        try client.disconnect()
        let back = try alice.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try subscribe(back, 600..<602) == [0x87, 0x87])
        #expect(try alice.signIn(to: broker).subscribe("\(alice.down)/7") == 1)
        // Deeper than any topic, and longer, is refused before the broker has made anything of it.
        for filter in [
            "parley/v1/users/alice" + String(repeating: "/a", count: 190), "\(topic)/#",
            "\(alice.down)/" + String(repeating: "x", count: 60_000),
        ] { #expect(try bob.signIn(to: broker, connection: "x").subscribe(filter) == 0x87) }
    }

    @Test("who comes and goes again and again is reported a few times, and then as they are")
    func presenceChurn() throws {
        let (broker, _) = try readyBroker()
        let intake = try broker.gateway(.intake)
        let start = ContinuousClock.now
        for _ in 0..<300 { try alice.signIn(to: broker).disconnect() }
        let bobs = try bob.signIn(to: broker)
        defer { bobs.close() }
        var reports: [PresenceReport] = []
        // Alice's end may be told up to a second after Bob's coming.
        while !(reports.contains(.online(bob.address.user))
            && reports.last { $0.isOf(alice) } != .online(alice.address.user))
        {
            let message = try intake.nextMessage()
            if message.topic == PresenceReport.topic { reports += PresenceCodec.reports(in: message.payload) ?? [] }
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1)) + 2
        #expect(reports.filter { $0.isOf(alice) }.count <= seconds)
    }
}

extension PresenceReport {
    fileprivate func isOf(_ device: TestDevice) -> Bool {
        switch self {
        case .online(let user), .offline(let user, _): user == device.address.user
        case .begin, .everyone, .end: false
        }
    }
}
