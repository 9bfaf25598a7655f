import ParleyProtocol
import ParleyRules
import Testing

/// Uploads that are slow, or break off, and who makes use of what is borne of them.
extension UnseenGateTests {
    /// Alice's phone sends so much of a packet at so many KiB a second; whether it was left alone.
    private func send(_ gate: inout AccessGate, kibibytes: Int, speed: Int, time: inout Int64) -> Bool {
        var sent = 0
        while sent < kibibytes * 1024 {
            time += AccessGate.second / 10
            gate.advance(to: time)
            sent = min(kibibytes * 1024, sent + speed * 1024 / 10)
            if !takenOff(&gate, 10, sent).isEmpty { return false }
        }
        return true
    }

    /// Signs in as soon as it may.
    private func connect(_ gate: inout AccessGate, time: inout Int64) {
        for _ in 0..<120 {
            if gate.signIn(Self.people[0], on: 10, from: .loopback).isAdmitted { return }
            time += AccessGate.second
            gate.advance(to: time)
        }
        Issue.record("it is not let in within two minutes")
    }

    private func end(_ gate: inout AccessGate, received: Int) {
        gate.recordReceived(ConnectionKey(10), bytes: received, isLast: true)
        gate.disconnect(ConnectionKey(10))
    }

    @Test("an upload that breaks off again and again passes once it does not", arguments: [20, 100, 1_000])
    func broken(speed: Int) {
        var gate = gate()
        gate.disconnect(ConnectionKey(10))
        var time = AccessGate.second
        for _ in 0..<200 {
            connect(&gate, time: &time)
            #expect(send(&gate, kibibytes: 80, speed: speed, time: &time))
            end(&gate, received: 80 * 1024)
            time += AccessGate.second
            gate.advance(to: time)
        }
        let last = time
        connect(&gate, time: &time)
        #expect(time - last <= 10 * AccessGate.second)
        #expect(send(&gate, kibibytes: 88, speed: speed, time: &time))
        #expect(gate.publish(10, "parley/v1/up/alice/phone/messages/send", payloadLength: 88_000) == .allowed)
        end(&gate, received: 88 * 1024)
        #expect(gate.signIn(Self.people[0], on: 10, from: .loopback).isAdmitted)
    }

    @Test("a slow upload passes", arguments: [(256, 3), (384, 1)])
    func slow(kibibytes: Int, speed: Int) {
        var gate = gate()
        var time = AccessGate.second
        for _ in 0..<3 {
            connect(&gate, time: &time)
            #expect(send(&gate, kibibytes: kibibytes, speed: speed, time: &time))
            let payload = kibibytes * 1024 - 100
            #expect(gate.publish(10, "parley/v1/up/alice/phone/messages/send", payloadLength: payload) == .allowed)
            end(&gate, received: kibibytes * 1024)
        }
    }

    @Test("who sends a packet's worth for each connection and ends it sends no more than two and 8 KiB a second")
    func partAfterPart() {
        var gate = gate()
        var sent = 0
        for second in Int64(1)...600 {
            gate.advance(to: second * AccessGate.second)
            guard gate.signIn(Self.people[0], on: 10, from: .loopback).isAdmitted else { continue }
            #expect(takenOff(&gate, 10, Self.packet).isEmpty)
            end(&gate, received: Self.packet)
            sent += Self.packet
        }
        #expect(sent <= 2 * Self.packet + 600 * 8 * 1024)
    }
}
