import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("The gate: what the broker holds for those who are away or do not read")
struct BrokerMemoryTests {
    static let phone = device("alice", "phone")
    static let laptop = device("alice", "laptop")
    static let bob = device("bob", "phone")
    let cid = ConversationID.random()
    var topic: String { "parley/v1/conversations/\(cid)/messages" }
    /// What one message of this length counts for.
    var size: Int { topic.utf8.count + 1000 + 128 }

    private var conversation: [AudienceChange] { [.conversation(cid, members: [Self.phone.user, Self.bob.user])] }

    func gate(_ limit: (inout BrokerLimits) -> Void) -> AccessGate {
        .ready([Self.phone, Self.laptop, Self.bob], conversation, limit)
    }

    func snapshot(_ gate: inout AccessGate, _ devices: [DeviceAddress], _ limit: (inout BrokerLimits) -> Void) {
        gate.snapshot(devices, conversation, limit)
    }

    func signIn(
        _ gate: inout AccessGate, _ address: DeviceAddress, _ connection: String = "", on key: UInt
    ) {
        #expect(gate.signIn(address, connection, on: key).isAdmitted)
        // The CONNECT has been handled.
        _ = gate.publish(1, "parley/v1/gateway/status")
    }

    /// How many of these messages are queued for a client.
    func queued(_ gate: inout AccessGate, _ key: UInt, _ clientID: String, of count: Int, qos: UInt8 = 1) -> Int {
        (0..<count).count { _ in gate.receive(key, clientID, topic, payloadLength: 1000, qos: qos).isAllowed }
    }

    @Test("so much is kept for a device that is away, so much for all; who comes back makes room")
    func away() {
        var gate = gate { (limits: inout BrokerLimits) in
            (limits.awayBytesPerDevice, limits.awayBytes) = (10 * size, 15 * size)
        }
        #expect(queued(&gate, 50, "alice:phone", of: 12) == 10)
        #expect(queued(&gate, 51, "bob:phone", of: 12) == 5)
        #expect(queued(&gate, 51, "bob:phone", of: 3, qos: 0) == 3)
        signIn(&gate, Self.phone, ":x", on: 11)
        #expect(queued(&gate, 50, "alice:phone", of: 1) == 0)
        signIn(&gate, Self.phone, on: 10)
        #expect(queued(&gate, 51, "bob:phone", of: 12) == 5)
        // Whoever is there is not bounded by it.
        #expect(queued(&gate, 10, "alice:phone", of: 40) == 40)
        gate.advance(to: 10 * AccessGate.second)
        gate.disconnect(ConnectionKey(10))
        #expect(queued(&gate, 50, "alice:phone", of: 12) == 5)
    }

    @Test("what was kept for a device that ends is room for others, also where a snapshot leaves it out")
    func endedWhileAway() {
        var gate = gate { $0.awayBytes = 10 * size }
        #expect(queued(&gate, 50, "alice:phone", of: 12) == 10)
        _ = gate.handle(.deviceEnded(Self.phone))
        #expect(queued(&gate, 51, "alice:laptop", of: 12) == 10)
        snapshot(&gate, [Self.bob]) { $0.awayBytes = 10 * size }
        #expect(queued(&gate, 52, "bob:phone", of: 12) == 10)
    }

    @Test("while the broker holds more than it may, those are ended that were sent most, and no more than need be")
    func slowest() {
        var gate = gate { $0.memoryBytes = 4 << 20 }
        for (number, name) in [":a", ":b", ":c"].enumerated() {
            signIn(&gate, Self.phone, name, on: UInt(10 + number))
            _ = queued(&gate, UInt(10 + number), "alice:phone\(name)", of: 1000 * (number + 1))
        }
        signIn(&gate, Self.bob, on: 20)
        _ = queued(&gate, 20, "bob:phone", of: 100)
        #expect(gate.relieveMemory(used: 4 << 20).ended.isEmpty)
        #expect(gate.relieveMemory(used: 5 << 20).ended == ["alice:phone:c"])
        gate.disconnect(ConnectionKey(12))
        #expect(gate.relieveMemory(used: 9 << 20).ended.isEmpty)
        gate.advance(to: AccessGate.second / 2)
        #expect(gate.relieveMemory(used: 9 << 20).ended == ["alice:phone:b", "alice:phone:a"])
        for key in UInt(10)...11 { gate.disconnect(ConnectionKey(key)) }
        // Bob has been sent little.
        gate.advance(to: AccessGate.second)
        #expect(gate.relieveMemory(used: 9 << 20).ended.isEmpty)
        _ = queued(&gate, 20, "bob:phone", of: 600)
        gate.advance(to: 60 * AccessGate.second)
        // Nobody is slow, and what the others have left may still be removed.
        signIn(&gate, Self.laptop, on: 30)
        #expect(gate.relieveMemory(used: 9 << 20) == MemoryRelief())
        _ = gate.handle(.deviceEnded(Self.phone))
        gate.advance(to: 61 * AccessGate.second)
        #expect(gate.relieveMemory(used: 9 << 20).ended.isEmpty)
    }

    @Test("few end at once, for the broker stands still while it frees what it held for them")
    func fewAtOnce() {
        var gate = gate { $0.memoryBytes = 1 << 20 }
        for number in UInt(0)..<6 {
            signIn(&gate, Self.phone, ":\(number)", on: 10 + number)
            _ = queued(&gate, 10 + number, "alice:phone:\(number)", of: 1000)
        }
        #expect(gate.relieveMemory(used: 8 << 20).ended.count == 4)
        #expect(gate.relieveMemory(used: 8 << 20).ended.isEmpty)
        gate.advance(to: AccessGate.second / 10)
        #expect(gate.relieveMemory(used: 8 << 20).ended.count == 4)
    }

    @Test("who was sent much and has read it comes after those who have not")
    func readers() {
        var gate = gate { $0.memoryBytes = 1 << 20 }
        signIn(&gate, Self.bob, on: 20)
        for second in Int64(0)..<60 {
            gate.advance(to: second * AccessGate.second)
            _ = queued(&gate, 20, "bob:phone", of: 200)
            gate.recordSocket(ConnectionKey(20), SocketBytes(read: 0, written: Int(second + 1) * 200 * size))
        }
        signIn(&gate, Self.phone, on: 10)
        _ = queued(&gate, 10, "alice:phone", of: 1000)
        #expect(gate.relieveMemory(used: 2 << 20).ended == ["alice:phone"])
    }

    @Test("what is kept for whoever was ended so is dropped when they come back, and nothing is added until then")
    func forsaken() {
        var gate = gate { $0.memoryBytes = 1 << 20 }
        signIn(&gate, Self.phone, on: 10)
        _ = queued(&gate, 10, "alice:phone", of: 1000)
        #expect(gate.relieveMemory(used: 2 << 20).ended == ["alice:phone"])
        gate.disconnect(ConnectionKey(10))
        #expect(gate.receive(50, "alice:phone", topic) == .denied(.anotherDevice))
        #expect(gate.signIn(Self.phone, on: 11).isAdmitted)
        #expect(gate.receive(11, "alice:phone", topic) == .denied(.anotherDevice))
        #expect(gate.drainExhausted() == ["alice:phone"])
        #expect(gate.receive(11, "alice:phone", topic) == .allowed)
        gate.disconnect(ConnectionKey(11))
        #expect(gate.receive(50, "alice:phone", topic) == .allowed)
    }

    /// The gateway's sign-in under a device's client id.
    private func removes(
        _ gate: inout AccessGate, _ clientID: String, from origin: ClientOrigin = .unixSocket, cleanStart: Bool = true,
        connection: GatewayConnection = .out
    ) -> SignInDecision {
        let claims = connection.claims(id: .random(), expiresAt: AccessGate.now + 60)
        return gate.signIn(
            clientID, GatewayConnection.username, claims, on: ConnectionKey(60), from: origin, cleanStart: cleanStart)
    }

    @Test("the gateway is asked to remove what is kept for whoever was ended so, may do that alone, and only as long")
    func removals() throws {
        var gate = gate { $0.memoryBytes = 1 << 20 }
        gate.connect(.intake, on: 2)
        #expect(removes(&gate, "alice:phone") == .refused(.username))
        for (key, name) in [(UInt(10), ""), (11, ":x")] {
            signIn(&gate, Self.phone, name, on: key)
            _ = queued(&gate, key, "alice:phone\(name)", of: 1000)
        }
        let ids = ["alice:phone", "alice:phone:x"]
        #expect(Set(gate.relieveMemory(used: 4 << 20).ended) == Set(ids))
        // As long as they stand there is nothing to remove.
        #expect(removes(&gate, "alice:phone") == .refused(.username))
        #expect(gate.drainRemovals().isEmpty)
        for key in UInt(10)...11 { gate.disconnect(ConnectionKey(key)) }
        gate.advance(to: 30 * AccessGate.second)
        #expect(Set(gate.drainRemovals().map(\.description)) == Set(ids))
        #expect(gate.drainRemovals().isEmpty)
        #expect(removes(&gate, "alice:phone", from: .loopback) == .refused(.username))
        #expect(removes(&gate, "alice:phone", cleanStart: false) == .refused(.username))
        #expect(removes(&gate, "alice:phone", connection: .intake) == .refused(.username))
        #expect(removes(&gate, "bob:phone") == .refused(.username))
        let id = try #require(ClientID(address: Self.phone))
        #expect(removes(&gate, "alice:phone") == .removing(id))
        // Under that name nothing may be done, and once is enough.
        #expect(gate.publish(60, "parley/v1/up/alice/phone/profile/get") == .denied(.unknownClient))
        #expect(gate.subscribe(60, topic) == .denied(.unknownClient))
        gate.disconnect(ConnectionKey(60))
        #expect(removes(&gate, "alice:phone") == .refused(.username))
        #expect(gate.receive(50, "alice:phone", topic) == .allowed)
        // Whoever comes back needs nobody for it.
        signIn(&gate, Self.phone, ":x", on: 11)
        gate.disconnect(ConnectionKey(11))
        gate.advance(to: 90 * AccessGate.second)
        #expect(gate.drainRemovals().isEmpty)
        #expect(removes(&gate, "alice:phone:x") == .refused(.username))
    }
}
