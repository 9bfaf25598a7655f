import ParleyProtocol
import Testing

/// A device that has the name of a revoked one, and the session that a real broker has kept for the other.
extension PluginTests {
    private var events: String { "parley/v1/users/alice/events" }

    /// Alice's device as one that was revoked and added again.
    private func added(_ device: TestDevice, at moment: Int64) -> TestDevice {
        var again = device
        again.token = .random()
        again.nameReusedAt = moment
        return again
    }

    /// A kept session of Alice's with messages that were sent to her and not acknowledged, and with queued ones.
    private func leaveSession(of device: TestDevice, on broker: PluginBroker, from out: WireClient) throws {
        let session = try device.signIn(to: broker, clean: false, sessionExpiry: 600)
        for filter in [topic, events] { #expect(try session.subscribe(filter) == 1) }
        // More than the broker sends before it has an acknowledgement.
        for number in 0..<30 { try out.publish(topic, "unacknowledged \(number)") }
        session.close()
        for number in 0..<30 { try out.publish(topic, "queued \(number)") }
    }

    /// Signs in, again where the plugin ends the connection, as any client does, and hears until the last of what is
    /// published then: enough for every place among those under way to be needed twice.
    private func hear(
        _ topic: String, of device: TestDevice, on broker: PluginBroker, from out: WireClient
    ) throws -> [String] {
        var heard: [String] = []
        var client = try device.signIn(to: broker, clean: false, sessionExpiry: 600)
        for number in 0..<40 { try out.publish(topic, "new \(number)") }
        while heard.last != "new 39" {
            do {
                heard.append(String(decoding: try client.nextMessage().payload, as: UTF8.self))
            } catch WireClient.WireError.closed {
                client = try device.signIn(to: broker, clean: false, sessionExpiry: 600)
            }
        }
        // Whatever was sent is acknowledged before the connection goes.
        _ = try client.drain()
        try client.disconnect()
        return heard
    }

    @Test("it gets nothing of the other's session, neither what was under way nor what was queued, and then hears all")
    func anotherDevice() throws {
        let (broker, out) = try readyBroker()
        try leaveSession(of: alice, on: broker, from: out)
        try out.tell([.deviceEnded(alice.address)])
        let again = added(alice, at: 1)
        try out.tell([again.change()])
        try out.publish(topic, "before its first sign-in")
        let heard = try hear(topic, of: again, on: broker, from: out)
        #expect(heard.allSatisfy { $0.hasPrefix("new") }, "\(heard)")
    }

    @Test("a session whose connection the plugin has ended still has its subscriptions")
    func endedByThePlugin() throws {
        let (broker, out) = try readyBroker()
        let session = try alice.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try session.subscribe(topic) == 1)
        // What cannot be read shuts everybody out.
        try out.publish(AudienceChange.topic, "?")
        _ = try out.nextMessage()
        #expect(throws: WireClient.WireError.self) { while true { _ = try session.nextMessage() } }
        #expect(try out.snapshot([alice, bob].map { $0.change() } + facts) == .ready(version: 1))
        try out.publish(topic, "while away")
        let again = try alice.signIn(to: broker, clean: false, sessionExpiry: 600)
        try out.publish(topic, "back")
        #expect(try again.drain().map { String(decoding: $0.payload, as: UTF8.self) } == ["while away", "back"])
    }

    @Test("the same after a restart of the broker, and revoked and added once more")
    func anotherDeviceLater() throws {
        let (broker, first) = try readyBroker()
        var out = first
        try leaveSession(of: alice, on: broker, from: out)
        try out.tell([.deviceEnded(alice.address)])
        out.close()
        broker.stop()
        try broker.start()
        out = try broker.gateway()
        var again = added(alice, at: 1)
        let members = facts.filter { if case .conversation = $0 { true } else { false } }
        #expect(try out.snapshot([again, bob].map { $0.change() } + members) == .ready(version: 1))
        for moment: Int64 in [2, 3] {
            #expect(try hear(topic, of: again, on: broker, from: out).allSatisfy { $0.hasPrefix("new") })
            try leaveSession(of: again, on: broker, from: out)
            again = added(again, at: moment)
            try out.tell([.deviceEnded(alice.address), again.change()])
        }
        #expect(try hear(topic, of: again, on: broker, from: out).allSatisfy { $0.hasPrefix("new") })
    }

    @Test("a further connection of it begins with nothing, and its own session keeps what comes while it is away")
    func ownSession() throws {
        let (broker, out) = try readyBroker()
        try leaveSession(of: alice, on: broker, from: out)
        let again = added(alice, at: 1)
        try out.tell([.deviceEnded(alice.address), again.change()])
        let further = try again.signIn(to: broker, connection: "x")
        #expect(try further.drain() == [])
        #expect(try hear(topic, of: again, on: broker, from: out).allSatisfy { $0.hasPrefix("new") })
        try out.publish(topic, "while it was away")
        let back = try again.signIn(to: broker, clean: false, sessionExpiry: 600)
        #expect(try back.drain().map { String(decoding: $0.payload, as: UTF8.self) } == ["while it was away"])
    }

    @Test("who was removed while much was kept for them goes on hearing the rest")
    func removedWhileAway() throws {
        let (broker, out) = try readyBroker()
        try leaveSession(of: alice, on: broker, from: out)
        try out.tell([.conversation(conversation, members: [bob.address.user])])
        #expect(try hear(events, of: alice, on: broker, from: out).allSatisfy { $0.hasPrefix("new") })
    }
}
