import ParleyProtocol
import Testing

/// A device's token is renewed, in the plugin of a real broker.
extension PluginTests {
    private func renewed(_ device: TestDevice) -> TestDevice {
        var renewed = device
        renewed.token = .random()
        renewed.previous = PreviousToken(token: device.token, endsAt: PluginBroker.seconds(fromNow: 3600))
        return renewed
    }

    @Test("the old token signs in until the new one has, which the gateway is told; then its sessions end")
    func renewal() throws {
        let (broker, out) = try readyBroker()
        let intake = try broker.gateway(.intake)
        let session = try alice.signIn(to: broker)
        var new = renewed(alice)
        try out.tell([new.change()])
        #expect(try session.publish("\(alice.up)/messages/send", "still here") != 0x87)
        let further = try alice.signIn(to: broker, connection: "old")
        _ = try intake.drain()
        _ = try new.signIn(to: broker, connection: "new")
        let report = try intake.nextMessage()
        #expect(report.topic == TokenUse.topic)
        #expect(TokenUseCodec.uses(in: report.payload) == [TokenUse(device: alice.address, token: new.token)])
        #expect(try alice.connect(to: broker, connection: "late").code == 0x87)
        #expect(try session.publish("\(alice.up)/messages/send", "still here") != 0x87)
        new.previous = nil
        try out.tell([new.change()])
        for ended in [session, further] { #expect(try ended.waitUntilClosed() == 0x98) }
        #expect(try new.connect(to: broker).code == 0)
    }

    @Test("a report that the gateway has not taken yet comes when its intake is back, and after a new snapshot")
    func reportsAgain() throws {
        let (broker, out) = try readyBroker()
        let new = renewed(alice)
        try out.tell([new.change()])
        _ = try new.signIn(to: broker)
        let use = [TokenUse(device: alice.address, token: new.token)]
        let intake = try broker.gateway(.intake)
        #expect(try tokenUses(intake) == use)
        #expect(try out.snapshot([new.change()], version: 2) == .ready(version: 2))
        #expect(try tokenUses(intake) == use)
        #expect(try alice.connect(to: broker).code == 0x87)
    }

    private func tokenUses(_ intake: WireClient) throws -> [TokenUse]? {
        while true {
            let message = try intake.nextMessage()
            if message.topic == TokenUse.topic { return TokenUseCodec.uses(in: message.payload) }
        }
    }

    @Test("an old token that is never succeeded ends by itself, with its session")
    func oldTokenEnds() throws {
        let (broker, out) = try readyBroker()
        let session = try alice.signIn(to: broker)
        var new = renewed(alice)
        new.previous = PreviousToken(token: alice.token, endsAt: PluginBroker.seconds(fromNow: 2))
        try out.tell([new.change()])
        #expect(try session.waitUntilClosed() == 0x98)
        #expect(try alice.connect(to: broker).code == 0x87)
        #expect(try new.connect(to: broker).code == 0)
    }

    @Test("revoking ends both tokens and the sessions of both")
    func revokingBoth() throws {
        let (broker, out) = try readyBroker()
        let new = renewed(alice)
        let old = try alice.signIn(to: broker, connection: "old")
        try out.tell([new.change()])
        let session = try new.signIn(to: broker, connection: "new")
        try out.tell([.deviceEnded(alice.address)])
        for client in [old, session] { #expect(try client.waitUntilClosed() == 0x98) }
        for device in [alice, new] { #expect(try device.connect(to: broker).code == 0x87) }
    }
}
