import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("The gate: the gateway's lease")
struct LeaseTests {
    private let phone = device("alice", "phone")
    private let second = AccessGate.second

    private func gate(leasedUntil end: Int64) -> AccessGate {
        var gate = AccessGate.ready([phone])
        _ = gate.handle([.lease(until: UInt64(end))])
        #expect(gate.signIn(phone, on: 10).isAdmitted)
        return gate
    }

    @Test("without a lease nobody is shut out, however long nothing comes")
    func noLease() {
        var gate = AccessGate.ready([phone])
        gate.advance(to: 1_000_000 * second)
        let outcome = gate.drainLapse()
        #expect(gate.isReady && outcome == nil)
    }

    @Test("from its end on nobody hears anything, and the connections end once")
    func lapse() {
        var gate = gate(leasedUntil: 3 * second)
        gate.advance(to: 3 * second - 1)
        #expect(gate.isReady)
        gate.advance(to: 3 * second)
        #expect(!gate.isReady)
        let outcome = gate.drainLapse()
        #expect(outcome == AudienceOutcome(ended: ["alice:phone"], answer: .snapshotNeeded(.leaseOver)))
        let again = gate.drainLapse()
        #expect(again == nil)
        #expect(gate.signIn(phone, on: 11) == .notReady)
    }

    @Test("a lease that is extended in time goes on, one that comes late brings nobody back")
    func extensions() {
        var gate = gate(leasedUntil: 3 * second)
        gate.advance(to: 2 * second)
        _ = gate.handle([.lease(until: UInt64(6 * second))])
        gate.advance(to: 5 * second)
        #expect(gate.isReady)
        gate.advance(to: 6 * second)
        let late = gate.handle([.lease(until: UInt64(9 * second))])
        #expect(!gate.isReady && late?.ended == [])
    }

    @Test("a snapshot brings devices back, under the lease that comes with it")
    func snapshot() {
        var gate = gate(leasedUntil: 3 * second)
        gate.advance(to: 4 * second)
        _ = gate.drainLapse()
        _ = gate.handle([.lease(until: UInt64(7 * second))])
        gate.snapshot(version: 2, [phone])
        #expect(gate.signIn(phone, on: 12).isAdmitted)
        gate.advance(to: 7 * second)
        #expect(!gate.isReady)
    }

    @Test("a snapshot that takes longer than the lease is kept, and comes into force under one that holds")
    func longSnapshot() {
        var gate = gate(leasedUntil: 3 * second)
        _ = gate.handle([
            .begin(version: 2),
            .device(phone, DeviceStatus(token: .random(), expiresAt: AccessGate.now + 3600, role: .device)),
        ])
        gate.advance(to: 4 * second)
        #expect(!gate.isReady)
        _ = gate.drainLapse()
        // Under a lease that is over it would let nobody hear anything.
        _ = gate.handle([.ready(version: 2)])
        gate.advance(to: 5 * second)
        #expect(!gate.isReady)
        _ = gate.handle([.begin(version: 3), .lease(until: UInt64(8 * second)), .ready(version: 3)])
        gate.advance(to: 7 * second)
        #expect(gate.isReady)
    }

    @Test("a proxy's check is not answered once the lease was not extended for a while; devices may still sign in")
    func checks() {
        var gate = gate(leasedUntil: 3 * second)
        func check() -> SignInDecision {
            let attempt = SignInAttempt(
                clientID: Array("parley-check".utf8), username: [], password: [], origin: .loopback, cleanStart: true)
            return gate.signIn(attempt, on: ConnectionKey(9), now: AccessGate.now) { _ in false }
        }
        gate.advance(to: second)
        #expect(check() == .refused(.clientID))
        gate.advance(to: 2 * second)
        #expect(check() == .notReady)
        #expect(gate.signIn(phone, on: 11).isAdmitted)
        _ = gate.handle([.lease(until: UInt64(5 * second))])
        #expect(check() == .refused(.clientID))
        _ = gate.handle([.lease(until: .max)])
        gate.advance(to: 9 * second)
        #expect(check() == .refused(.clientID), "the only gateway there is")
    }

    @Test("a lease without an end is none")
    func endless() {
        var gate = gate(leasedUntil: 3 * second)
        _ = gate.handle([.lease(until: .max)])
        gate.advance(to: 4 * second)
        #expect(gate.isReady)
    }
}
