import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("The gate: how many connections, and under how many names")
struct ConnectionLimitTests {
    private static let day = 86_400 * AccessGate.second
    private static let phone = device("alice", "phone")
    private static let laptop = device("alice", "laptop")
    private static let tablet = device("alice", "tablet")
    private static let bob = device("bob", "phone")
    private static let console = device("root", "console")

    /// A gate with these limits in force.
    private func gate(_ limit: (inout BrokerLimits) -> Void) -> AccessGate {
        .ready([Self.phone, Self.laptop, Self.tablet, Self.bob, Self.console], [], limit)
    }

    /// Why a device does not come in, and `nil` if it does.
    private func turnedAway(
        _ gate: inout AccessGate, _ address: DeviceAddress, _ name: String? = nil, on key: UInt,
        token: TokenID = AccessGate.token, from origin: ClientOrigin = .unixSocket
    ) -> TurnAway? {
        let decision = gate.signIn(address, name.map { ":\($0)" } ?? "", token: token, on: key, from: origin)
        switch decision {
        case .turnedAway(let reason): return reason
        case .admitted: return nil
        case .refused, .notReady, .removing:
            Issue.record("\(decision)")
            return nil
        }
    }

    @Test("a device has so many connections at once, and one that goes makes room")
    func perDevice() {
        var gate = gate { $0.connectionsPerDevice = 3 }
        for (key, name) in [nil, "a", "b"].enumerated() {
            #expect(turnedAway(&gate, Self.phone, name, on: UInt(10 + key)) == nil)
        }
        #expect(turnedAway(&gate, Self.phone, "c", on: 20) == .deviceConnections)
        #expect(turnedAway(&gate, Self.laptop, "c", on: 21) == nil)
        gate.disconnect(ConnectionKey(11))
        gate.disconnect(ConnectionKey(11))
        #expect(turnedAway(&gate, Self.phone, "c", on: 22) == nil)
        #expect(turnedAway(&gate, Self.phone, "d", on: 23) == .deviceConnections)
    }

    @Test("who takes over a client id has no further connection, however often")
    func takeOver() {
        var gate = gate { ($0.connectionsPerDevice, $0.connections, $0.connectionsPerUser) = (1, 1, 1) }
        for key in UInt(10)..<50 {
            #expect(turnedAway(&gate, Self.phone, on: key) == nil)
            if key % 2 == 0 { gate.disconnect(ConnectionKey(key - 1)) }
        }
        #expect(turnedAway(&gate, Self.phone, "a", on: 50) == .deviceConnections)
        gate.disconnect(ConnectionKey(49))
        #expect(turnedAway(&gate, Self.phone, "a", on: 51) == nil)
    }

    @Test("a user has so many over all devices, and all together have so many; operators come in by the socket")
    func perUserAndTogether() {
        var gate = gate { ($0.connectionsPerUser, $0.connections) = (2, 3) }
        #expect(turnedAway(&gate, Self.phone, on: 10) == nil)
        #expect(turnedAway(&gate, Self.laptop, on: 11) == nil)
        #expect(turnedAway(&gate, Self.tablet, on: 12) == .userConnections)
        #expect(turnedAway(&gate, Self.bob, on: 13) == nil)
        #expect(turnedAway(&gate, Self.bob, "a", on: 14) == .connections)
        #expect(turnedAway(&gate, Self.console, on: 15) == nil)
        gate.connect(.intake, on: 2)
        var open = AccessGate(operatorListeners: .any)
        open.connect(.out, on: 1)
        open.snapshot([Self.console]) { $0.connections = 0 }
        #expect(turnedAway(&open, Self.console, on: 15, from: .loopback) == .connections)
        #expect(turnedAway(&open, Self.console, on: 15) == nil)
    }

    @Test("whoever has no good token learns nothing of how many there are, and counts as refused")
    func strangers() {
        var gate = gate { $0.connectionsPerDevice = 1 }
        #expect(turnedAway(&gate, Self.phone, on: 10) == nil)
        #expect(gate.signIn(Self.phone, ":x", token: .random(), on: 11) == .refused(.revoked))
        #expect(turnedAway(&gate, Self.phone, "x", on: 12) == .deviceConnections)
        gate.connect(.intake, on: 2)
        var counts = BrokerCounts()
        (counts.refusedSignIns, counts.turnedAway) = (1, 1)
        #expect(gate.drainCounts() == counts)
        #expect(gate.drainCounts() == nil)
        #expect(turnedAway(&gate, Self.phone, "x", on: 13) == .deviceConnections)
        #expect(gate.drainCounts() == nil)
        gate.advance(to: 5 * AccessGate.second)
        counts.turnedAway = 2
        #expect(gate.drainCounts() == counts)
        // An intake that has come anew knows nothing.
        gate.connect(.intake, on: 3)
        #expect(gate.drainCounts() == counts)
    }

    @Test("a device uses so many names in 24 hours; the same ones again and again are none more")
    func names() {
        var gate = gate { $0.connectionNamesPerDay = 2 }
        func come(_ name: String?, at time: Int64, _ address: DeviceAddress = Self.phone) -> TurnAway? {
            gate.advance(to: time)
            let reason = turnedAway(&gate, address, name, on: 10)
            gate.disconnect(ConnectionKey(10))
            return reason
        }
        for turn in Int64(0)..<20 {
            for name in ["a", "b", nil] { #expect(come(name, at: turn * AccessGate.second) == nil) }
        }
        #expect(come("c", at: 20 * AccessGate.second) == .names)
        #expect(come("c", at: 20 * AccessGate.second, Self.laptop) == nil)
        #expect(come("a", at: Self.day) == nil)
        // The last use of `b` was after 19 s.
        #expect(come("c", at: Self.day + 19 * AccessGate.second - 1) == .names)
        #expect(come("c", at: Self.day + 19 * AccessGate.second) == nil)
        #expect(come("b", at: Self.day + 19 * AccessGate.second) == .names)
        // A clock that goes back frees nothing.
        #expect(come("b", at: 0) == .names)
    }

    @Test("a name that is in use is used, however long ago its connection began")
    func namesInUse() {
        var gate = gate { $0.connectionNamesPerDay = 1 }
        #expect(turnedAway(&gate, Self.phone, "a", on: 10) == nil)
        gate.advance(to: 3 * Self.day)
        #expect(turnedAway(&gate, Self.phone, "b", on: 11) == .names)
        gate.disconnect(ConnectionKey(10))
        gate.advance(to: 4 * Self.day - 1)
        #expect(turnedAway(&gate, Self.phone, "b", on: 11) == .names)
        gate.advance(to: 4 * Self.day)
        #expect(turnedAway(&gate, Self.phone, "b", on: 11) == nil)
    }

    @Test("a snapshot keeps what is known of the devices that it names, and no others; what ends is forgotten")
    func memory() {
        var gate = gate { $0.connectionNamesPerDay = 1 }
        for (key, address) in [Self.phone, Self.laptop, Self.bob].enumerated() {
            #expect(turnedAway(&gate, address, "a", on: UInt(10 + key)) == nil)
            gate.disconnect(ConnectionKey(UInt(10 + key)))
        }
        #expect(gate.rememberedDevices == 3)
        // Strangers, and who is refused, are not remembered.
        for number in 0..<100 {
            let stranger = device(UserID(validated: "stranger\(number)"), "phone")
            _ = gate.signIn(stranger, ":\(number)", token: .random(), on: 20)
        }
        #expect(gate.rememberedDevices == 3)
        // The gateway was away, and comes with a new snapshot.
        _ = gate.handle([9], from: AccessGateTests.outKey)
        gate.snapshot([Self.phone, Self.bob]) { $0.connectionNamesPerDay = 1 }
        #expect(gate.rememberedDevices == 2)
        #expect(turnedAway(&gate, Self.phone, "b", on: 10) == .names)
        _ = gate.handle(.deviceEnded(Self.phone))
        #expect(gate.rememberedDevices == 1)
        gate.snapshot([Self.phone, Self.bob]) { $0.connectionNamesPerDay = 1 }
        #expect(turnedAway(&gate, Self.phone, "b", on: 10) == nil)
    }

    @Test("MQTT 3.1 is turned away, whoever speaks it")
    func oldProtocol() {
        for (version, isOld) in [(3, true), (4, false), (5, false)] {
            var gate = gate { _ in }
            let decision = gate.signIn(Self.phone, on: 9, from: .elsewhere, protocolVersion: version)
            #expect((decision == .turnedAway(.outdatedProtocol)) == isOld)
        }
    }
}
