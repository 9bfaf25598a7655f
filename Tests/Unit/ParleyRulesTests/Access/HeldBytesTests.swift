import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// What the broker holds for a connection whose socket is known.
extension BrokerMemoryTests {
    @Test("who reads slowly and acknowledges nothing is found, however slowly it comes")
    func slowHolder() {
        var gate = gate { $0.memoryBytes = 4 << 20 }
        signIn(&gate, Self.phone, ":x", on: 10)
        // A message of 1 KB each second for an hour and a half; the first is written and not acknowledged.
        for second in Int64(0)..<5_400 {
            gate.advance(to: second * AccessGate.second)
            _ = queued(&gate, 10, "alice:phone:x", of: 1)
            gate.recordSocket(ConnectionKey(10), SocketBytes(read: 0, written: size))
        }
        #expect(gate.relieveMemory(used: 6 << 20).ended == ["alice:phone:x"])
    }

    @Test("who takes a large backlog while the broker is filled by nobody knows whom is not ended")
    func backlog() {
        var gate = gate { $0.memoryBytes = 32 << 20 }
        signIn(&gate, Self.phone, on: 10)
        _ = queued(&gate, 10, "alice:phone", of: 1_000)
        gate.recordSocket(ConnectionKey(10), SocketBytes(read: 0, written: 300 * size))
        for tenth in Int64(200)..<300 {
            gate.advance(to: tenth * AccessGate.second / 10)
            #expect(gate.relieveMemory(used: 64 << 20).ended.isEmpty)
        }
    }

    @Test("who is about to be ended is looked at once more, and stays if they have read it meanwhile")
    func lookedAtAgain() {
        var gate = gate { $0.memoryBytes = 1 << 20 }
        signIn(&gate, Self.phone, ":x", on: 10)
        signIn(&gate, Self.bob, on: 20)
        for (key, client) in [(UInt(10), "alice:phone:x"), (20, "bob:phone")] {
            _ = queued(&gate, key, client, of: 1_000)
            gate.recordSocket(ConnectionKey(key), SocketBytes(read: 0, written: 100))
        }
        let relief = gate.relieveMemory(used: 3 << 20) { key in
            SocketBytes(read: 0, written: key == ConnectionKey(10) ? 100 : 1_000 * size)
        }
        #expect(relief.ended == ["alice:phone:x"])
    }

    @Test("what the broker writes as an answer is not taken for a message, nor what it wrote before for one that comes")
    func noCredit() {
        var gate = gate { $0.memoryBytes = 1 << 20 }
        #expect(gate.signIn(Self.phone, ":x", on: 10, from: .loopback).isAdmitted)
        gate.recordSocket(ConnectionKey(10), SocketBytes(read: 0, written: 1 << 30))
        _ = queued(&gate, 10, "alice:phone:x", of: 1_000)
        // PINGREQs are answered by as many bytes.
        gate.recordSocket(ConnectionKey(10), SocketBytes(read: 1_300_000, written: 1 << 30 + 1_300_000))
        #expect(gate.relieveMemory(used: 2 << 20).ended == ["alice:phone:x"])
    }

    @Test("a session that is away holds what was not written, and nothing where all was")
    func leftRead() {
        var gate = gate { $0.awayBytesPerDevice = 10 * size }
        for written in [40, 35] {
            signIn(&gate, Self.phone, on: 10)
            #expect(queued(&gate, 10, "alice:phone", of: 40) == 40)
            gate.recordSocket(ConnectionKey(10), SocketBytes(read: 0, written: written * (size - 128)), isLast: true)
            gate.disconnect(ConnectionKey(10))
            #expect(queued(&gate, 50, "alice:phone", of: 12) == 10 - (40 - written))
        }
    }

    @Test("devices of one user that leave much unread count no more than the user's share")
    func leftByOneUser() {
        var gate = gate { (limits: inout BrokerLimits) in
            (limits.awayBytesPerDevice, limits.awayBytes) = (10 * size, 25 * size)
        }
        let tablet = TestNames.device("alice", "tablet")
        _ = gate.handle(
            .device(tablet, DeviceStatus(token: AccessGate.token, expiresAt: AccessGate.now + 60, role: .device)))
        for (key, device) in [(UInt(10), Self.phone), (11, Self.laptop), (12, tablet)] {
            signIn(&gate, device, on: key)
            _ = queued(&gate, key, "alice:\(device.device)", of: 40)
            gate.disconnect(ConnectionKey(key))
        }
        #expect(queued(&gate, 53, "bob:phone", of: 12) == 5)
    }

    @Test("after a start above the mark nothing is removed before the gateway has retained its own, and then all is")
    func startAboveTheMark() {
        var gate = AccessGate()
        gate.connect(.out, on: 1)
        gate.advance(to: AccessGate.second)
        #expect(gate.relieveMemory(used: 512 << 20) == MemoryRelief())
        snapshot(&gate, [Self.phone, Self.bob]) { _ in }
        gate.advance(to: 10 * AccessGate.second)
        #expect(gate.relieveMemory(used: 512 << 20) == MemoryRelief())
        gate.advance(to: 11 * AccessGate.second)
        var relief = MemoryRelief()
        relief.removed = ["alice:phone", "bob:phone"]
        relief.isUnexplained = true
        #expect(gate.relieveMemory(used: 512 << 20) == relief)
    }
}
