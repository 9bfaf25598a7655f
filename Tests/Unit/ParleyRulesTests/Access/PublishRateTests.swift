import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("The gate: how many publishes, and how many bytes, a second", .seeded)
struct PublishRateTests {
    private static let phone = device("alice", "phone")
    private static let laptop = device("alice", "laptop")
    private static let tablet = device("alice", "tablet")
    private static let bob = device("bob", "phone")
    private static let devices = [phone, laptop, tablet, bob]

    /// The four devices are signed in on 10 and the following.
    private func gate(_ limit: (inout BrokerLimits) -> Void) -> AccessGate {
        var gate = AccessGate.ready(Self.devices, [], limit)
        for (number, address) in Self.devices.enumerated() {
            #expect(gate.signIn(address, on: UInt(10 + number)).isAdmitted)
        }
        return gate
    }

    private func few(_ limits: inout BrokerLimits) { (limits.publishBurst, limits.publishesPerSecond) = (40, 10) }

    /// How many of these publishes pass.
    private func passed(
        _ gate: inout AccessGate, _ address: DeviceAddress, on key: UInt, of count: Int, payloadLength: Int = 2
    ) -> Int {
        (0..<count).count { _ in
            gate.publish(key, "parley/v1/up/\(address)/profile/get", payloadLength: payloadLength).isAllowed
        }
    }

    @Test("a device has a burst and then a rate; others have their own, a user twice that")
    func messages() {
        var gate = gate(few)
        #expect(passed(&gate, Self.phone, on: 10, of: 60) == 40)
        #expect(passed(&gate, Self.laptop, on: 11, of: 60) == 40)
        #expect(passed(&gate, Self.tablet, on: 12, of: 60) == 0)
        #expect(passed(&gate, Self.bob, on: 13, of: 60) == 40)
        gate.advance(to: AccessGate.second)
        #expect(passed(&gate, Self.phone, on: 10, of: 60) == 10)
        #expect(passed(&gate, Self.tablet, on: 12, of: 60) == 10)
        #expect(passed(&gate, Self.laptop, on: 11, of: 60) == 0)
    }

    @Test("a door, which asks for everybody, has no such limit: the gateway limits those for whom it asks")
    func door() throws {
        let web = DeviceAddress.webDoor
        let expiry = AccessGate.now + 60
        var gate = AccessGate.ready(
            [], [.device(web, DeviceStatus(token: AccessGate.token, expiresAt: expiry, role: .door))], few)
        let claims = AccessToken.Claims(
            user: web.user, device: web.device, expiresAt: expiry, id: AccessGate.token, role: .door)
        let decision = gate.signIn(
            "web:door:one", "web", claims, on: ConnectionKey(20), from: .unixSocket, cleanStart: true,
            protocolVersion: 5)
        #expect(decision.isAdmitted)
        let passed = (0..<1000).count { _ in
            gate.publish(20, "parley/v1/up/web/door/accounts/sign-in", payloadLength: 32_768).isAllowed
                && gate.carry(ConnectionKey(20), properties: 2, bytes: 64).isAllowed
        }
        #expect(passed == 1000 && gate.drainExcessive().isEmpty)
    }

    @Test("bytes of topic and payload count, and those of properties")
    func bytes() {
        let topic = "parley/v1/up/alice/phone/profile/get".utf8.count
        var gate = gate { (limits: inout BrokerLimits) in
            (limits.publishBurstBytes, limits.publishBytesPerSecond) = (10 * (topic + 1000), topic + 1000)
        }
        #expect(passed(&gate, Self.phone, on: 10, of: 12, payloadLength: 1000) == 10)
        gate.advance(to: 2 * AccessGate.second)
        #expect(passed(&gate, Self.phone, on: 10, of: 12, payloadLength: 1000) == 2)
        gate.advance(to: 4 * AccessGate.second)
        #expect(gate.carry(ConnectionKey(10), properties: 3, bytes: 2 * (topic + 1000)).isAllowed)
        #expect(passed(&gate, Self.phone, on: 10, of: 1, payloadLength: 1000) == 0)
        #expect(gate.carry(ConnectionKey(10), properties: 3, bytes: 1) == .denied(.overLimit))
    }

    @Test("more properties than anybody needs are refused, and who sends them is taken off at once")
    func properties() {
        var gate = gate(few)
        let most = AccessGate.mostProperties
        #expect(gate.carry(ConnectionKey(10), properties: most, bytes: 0).isAllowed)
        #expect(gate.drainExcessive().isEmpty)
        #expect(gate.carry(ConnectionKey(10), properties: most + 1, bytes: 0) == .denied(.overLimit))
        #expect(gate.drainExcessive().map(\.clientID) == ["alice:phone"])
        #expect(gate.carry(ConnectionKey(1), properties: most + 1, bytes: 0).isAllowed)
        #expect(gate.carry(ConnectionKey(99), properties: 1, bytes: 0) == .denied(.unknownClient))
    }

    @Test("who goes on is taken off: by number, or sooner by bytes; who keeps near the rate is not")
    func disconnected() {
        var gate = gate(few)
        #expect(passed(&gate, Self.phone, on: 10, of: 140) == 40)
        #expect(gate.drainExcessive().isEmpty)
        _ = passed(&gate, Self.phone, on: 10, of: 1)
        #expect(gate.drainExcessive().map(\.clientID) == ["alice:phone"])
        #expect(passed(&gate, Self.bob, on: 13, of: 45, payloadLength: 384 << 10) == 40)
        #expect(gate.drainExcessive().map(\.clientID) == ["bob:phone"])
        for second in Int64(1)...200 {
            gate.advance(to: second * AccessGate.second)
            #expect(passed(&gate, Self.laptop, on: 11, of: 15) >= 10)
        }
        #expect(gate.drainExcessive().isEmpty)
    }

    @Test("connecting anew gives no fresh burst, nor does another name, nor a gateway that starts again")
    func reconnect() {
        var gate = gate(few)
        #expect(passed(&gate, Self.phone, on: 10, of: 60) == 40)
        gate.disconnect(ConnectionKey(10))
        #expect(gate.signIn(Self.phone, on: 20).isAdmitted)
        #expect(passed(&gate, Self.phone, on: 20, of: 10) == 0)
        #expect(gate.signIn(Self.phone, ":x", on: 21).isAdmitted)
        #expect(passed(&gate, Self.phone, on: 21, of: 10) == 0)
        _ = gate.handle([9], from: AccessGateTests.outKey)
        gate.snapshot(Self.devices, [], few)
        #expect(gate.signIn(Self.phone, on: 22).isAdmitted)
        #expect(passed(&gate, Self.phone, on: 22, of: 10) == 0)
        // A limit that is changed holds at once.
        gate.snapshot(Self.devices) { (limits: inout BrokerLimits) in
            (limits.publishBurst, limits.publishesPerSecond) = (50, 10)
        }
        #expect(passed(&gate, Self.phone, on: 22, of: 60) == 10)
    }

    @Test(
        "whatever time does, nobody has more than the burst and the rate of the time that has passed", arguments: 0..<20
    )
    func clocks(number: Int) {
        var generator = Seeded(stream: UInt64(900 + number))
        var gate = gate(few)
        var (latest, total): (Int64, Int) = (0, 0)
        for _ in 0..<300 {
            let step = Int64(generator.number(0...2_000)) * 1_000_000 * (generator.chance(0.3) ? -1 : 1)
            gate.advance(to: max(0, latest + step))
            latest = max(latest, latest + step)
            total += passed(&gate, Self.bob, on: 13, of: generator.number(0...30))
            #expect(total <= 40 + Int(latest / 100_000_000) + 1)
        }
        gate.advance(to: latest + 4 * AccessGate.second)
        #expect(passed(&gate, Self.bob, on: 13, of: 60) == 40)
    }
}
