import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("The gate: how many filters a second")
struct SubscribeRateTests {
    private static let second: Int64 = 1_000_000_000
    private static let token = TokenID.random()
    private static let filter = "parley/v1/gateway/status"

    /// Two devices of Alice's and one of Bob's, signed in on 10, 11 and 12.
    private func gate() -> AccessGate {
        var limits = BrokerLimits()
        (limits.subscribeBurst, limits.subscribesPerSecond) = (20, 2)
        var gate = AccessGate()
        GatePresenceTests.connect(.out, &gate, on: 1)
        let devices = [device("alice", "phone"), device("alice", "laptop"), device("bob", "phone")]
        let statuses = devices.map {
            AudienceChange.device(
                $0, DeviceStatus(token: Self.token, expiresAt: GatePresenceTests.now + 60, isOperator: false))
        }
        _ = gate.handle([.begin(version: 1), .limits(limits)] + statuses + [.ready(version: 1)])
        for (number, address) in devices.enumerated() {
            _ = GatePresenceTests.signIn(&gate, address, token: Self.token, on: UInt(10 + number))
        }
        return gate
    }

    private func granted(_ gate: inout AccessGate, _ key: UInt, of count: Int) -> Int {
        (0..<count).count { _ in gate.subscribe(key, Self.filter).isAllowed }
    }

    @Test("a device has a burst and then a rate, and the same filter again counts")
    func rate() {
        var gate = gate()
        #expect(granted(&gate, 10, of: 50) == 20)
        gate.advance(to: 3 * Self.second)
        #expect(granted(&gate, 10, of: 50) == 6)
        gate.advance(to: 3600 * Self.second)
        #expect(granted(&gate, 10, of: 50) == 20)
        // A clock that goes back gives nothing back, and blocks nobody for longer.
        gate.advance(to: 0)
        #expect(granted(&gate, 10, of: 50) == 0)
        gate.advance(to: 3601 * Self.second)
        #expect(granted(&gate, 10, of: 50) == 2)
        #expect(granted(&gate, 12, of: 50) == 20)
    }

    @Test("a user has twice that over all devices, and connecting anew gains nothing")
    func userAndReconnect() {
        var gate = gate()
        #expect(granted(&gate, 10, of: 30) == 20)
        #expect(granted(&gate, 11, of: 15) == 15)
        gate.disconnect(ConnectionKey(10))
        _ = GatePresenceTests.signIn(&gate, device("alice", "phone"), token: Self.token, on: 20)
        _ = GatePresenceTests.signIn(&gate, device("alice", "phone"), connection: ":x", token: Self.token, on: 21)
        #expect(granted(&gate, 20, of: 30) == 0)
        #expect(granted(&gate, 21, of: 30) == 0)
        gate.advance(to: 5 * Self.second)
        #expect(granted(&gate, 20, of: 30) == 10)
        // The user's: 20 at 4 a second, of which 10 are gone.
        #expect(granted(&gate, 11, of: 30) == 15)
    }

    @Test("who goes on is taken off, once, and stays out for a moment; who ended meanwhile is not")
    func disconnected() {
        var gate = gate()
        #expect(granted(&gate, 10, of: 120) == 20)
        #expect(gate.drainExcessive().isEmpty)
        _ = granted(&gate, 10, of: 5)
        #expect(gate.drainExcessive() == ["alice:phone"])
        #expect(gate.drainExcessive().isEmpty)
        gate.disconnect(ConnectionKey(10))
        let phone = device("alice", "phone")
        #expect(GatePresenceTests.signIn(&gate, phone, token: Self.token, on: 20) == .turnedAway(.suspended))
        gate.advance(to: 5 * Self.second)
        #expect(GatePresenceTests.signIn(&gate, phone, token: Self.token, on: 20).isAdmitted)
        _ = granted(&gate, 20, of: 300)
        gate.disconnect(ConnectionKey(20))
        #expect(gate.drainExcessive().isEmpty)
    }

    @Test("who asks a little too often for ever is refused, and not taken off")
    func slowly() {
        var gate = gate()
        _ = granted(&gate, 10, of: 20)
        for second in Int64(1)...200 {
            gate.advance(to: second * Self.second)
            #expect(granted(&gate, 10, of: 10) == 2)
        }
        #expect(gate.drainExcessive().isEmpty)
    }
}
