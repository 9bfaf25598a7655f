import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// Whom the broker's memory mark ends, and what is counted of devices that come back and read nothing.
extension BrokerMemoryTests {
    /// Signs in to the session that was kept; how many of the messages that the broker asks for once more are handed
    /// over.
    private func resume(
        _ gate: inout AccessGate, _ address: DeviceAddress, on key: UInt, kept: Int
    ) -> Int {
        #expect(gate.signIn(address, on: key).isAdmitted)
        let handed = queued(&gate, key, "\(address.user):\(address.device)", of: kept)
        _ = gate.publish(1, "parley/v1/gateway/status")
        return handed
    }

    private func reportedCounts(_ gate: inout AccessGate) -> BrokerCounts {
        gate.connect(.intake, on: 2)
        return gate.drainCounts() ?? BrokerCounts()
    }

    @Test("what is kept is counted as the broker holds it, through sign-ins that read nothing")
    func readsNothing() {
        var gate = gate { $0.awayBytesPerDevice = 10 * size }
        for round in 0..<5 {
            #expect(queued(&gate, 50, "alice:phone", of: 12) == (round == 0 ? 10 : 0))
            #expect(resume(&gate, Self.phone, on: 10, kept: 10) == 10)
            gate.disconnect(ConnectionKey(10))
        }
        // Until it has read it.
        #expect(resume(&gate, Self.phone, on: 10, kept: 10) == 10)
        gate.recordSocket(ConnectionKey(10), SocketBytes(read: 0, written: 10 * size))
        gate.disconnect(ConnectionKey(10))
        #expect(queued(&gate, 50, "alice:phone", of: 12) == 10)
    }

    @Test("of what a session was left with, no more is handed over than a device's share, and the rest is dropped")
    func leftUnread() {
        var gate = gate { $0.awayBytesPerDevice = 10 * size }
        signIn(&gate, Self.phone, on: 10)
        #expect(queued(&gate, 10, "alice:phone", of: 40) == 40)
        gate.disconnect(ConnectionKey(10))
        #expect(queued(&gate, 50, "alice:phone", of: 1) == 0)
        #expect(resume(&gate, Self.phone, on: 11, kept: 40) == 10)
        #expect(gate.drainExhausted() == ["alice:phone"])
        let counts = reportedCounts(&gate)
        #expect(counts.notKept == 31)
        #expect(counts.madeAnew == 1)
    }

    @Test("a user has the share of two devices")
    func userShare() {
        var gate = gate { $0.awayBytesPerDevice = 10 * size }
        let tablet = TestNames.device("alice", "tablet")
        _ = gate.handle(
            .device(tablet, DeviceStatus(token: AccessGate.token, expiresAt: AccessGate.now + 60, role: .device)))
        #expect(queued(&gate, 50, "alice:phone", of: 12) == 10)
        #expect(queued(&gate, 51, "alice:laptop", of: 7) == 7)
        #expect(queued(&gate, 52, "alice:tablet", of: 12) == 3)
        #expect(queued(&gate, 53, "bob:phone", of: 12) == 10)
        _ = gate.handle(.deviceEnded(Self.phone))
        #expect(queued(&gate, 52, "alice:tablet", of: 12) == 7)
    }

    @Test("whoever is away pays before those who hold less, and nobody else while that is being removed")
    func absentPays() {
        var gate = gate { $0.memoryBytes = 1 << 20 }
        gate.connect(.intake, on: 2)
        #expect(queued(&gate, 51, "bob:phone", of: 1_500) == 1_500)
        signIn(&gate, Self.phone, on: 10)
        _ = queued(&gate, 10, "alice:phone", of: 1_000)
        var relief = MemoryRelief()
        relief.removed = ["bob:phone"]
        #expect(gate.relieveMemory(used: 2 << 20) == relief)
        #expect(gate.drainRemovals().map(\.description) == ["bob:phone"])
        gate.recordSocket(ConnectionKey(10), SocketBytes(read: 0, written: 1_000 * size))
        gate.advance(to: 10 * AccessGate.second)
        #expect(gate.relieveMemory(used: 2 << 20) == MemoryRelief())
        // Nothing is kept for them until they are back, and that is removed as well.
        #expect(gate.receive(51, "bob:phone", topic) == .denied(.anotherDevice))
        #expect(reportedCounts(&gate).sessionsRemoved == 1)
    }

    @Test("who reads is not ended, however much they were sent, where that does not explain what the broker holds")
    func readersStay() {
        var gate = gate { $0.memoryBytes = 32 << 20 }
        signIn(&gate, Self.phone, on: 10)
        for second in Int64(0)..<600 {
            gate.advance(to: second * AccessGate.second)
            _ = queued(&gate, 10, "alice:phone", of: 60)
            gate.recordSocket(ConnectionKey(10), SocketBytes(read: 0, written: Int(second + 1) * 60 * size))
            if second == 300 {
                // What the broker holds was there before: the sessions of those who are away are removed, once.
                var relief = MemoryRelief()
                relief.removed = ["alice:laptop", "bob:phone"]
                relief.isUnexplained = true
                #expect(gate.relieveMemory(used: 64 << 20) == relief)
                for device in [Self.laptop, Self.bob] { _ = gate.handle(.deviceEnded(device)) }
            } else if second > 300 {
                #expect(gate.relieveMemory(used: 64 << 20) == MemoryRelief())
            }
        }
    }

    @Test(
        "who reads nothing of what comes at a moderate pace is ended once that explains half of what is too much"
    )
    func patientHolder() {
        var gate = gate { $0.memoryBytes = 16 << 20 }
        signIn(&gate, Self.phone, ":x", on: 10)
        signIn(&gate, Self.bob, on: 20)
        for second in Int64(0)..<60 {
            gate.advance(to: second * AccessGate.second)
            _ = queued(&gate, 10, "alice:phone:x", of: 200)
            _ = queued(&gate, 20, "bob:phone", of: 20)
        }
        #expect(gate.relieveMemory(used: 17 << 20).ended == ["alice:phone:x"])
    }

    @Test("what the gateway retains counts for nobody, until it takes it back")
    func retained() {
        var gate = gate { $0.memoryBytes = 1 << 20 }
        signIn(&gate, Self.phone, on: 10)
        _ = queued(&gate, 10, "alice:phone", of: 1_000)
        let info = "parley/v1/conversations/\(cid)/info"
        for _ in 0..<2 { _ = gate.publish(1, info, payloadLength: 2 << 20, retain: true) }
        #expect(gate.relieveMemory(used: 3 << 20) == MemoryRelief())
        // A device retains nothing.
        _ = gate.publish(10, "parley/v1/up/alice/phone/messages/send", payloadLength: 4 << 20, retain: true)
        #expect(gate.relieveMemory(used: 4 << 20).ended == ["alice:phone"])
        gate.advance(to: AccessGate.second)
        _ = gate.publish(1, info, payloadLength: 0, retain: true)
        #expect(gate.relieveMemory(used: 2 << 20).ended == ["alice:phone"])
    }
}
