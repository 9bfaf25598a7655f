import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// A device's token is renewed: what the gate does until the new one has signed in, and after.
extension AccessGateTests {
    /// A device whose token `first` was renewed to `second`; `first` signs in for half a minute.
    private struct Renewal {
        let first = TokenID.random()
        let second = TokenID.random()

        var status: DeviceStatus {
            DeviceStatus(
                token: second, expiresAt: now + 600, role: .device,
                previous: PreviousToken(token: first, endsAt: now + 30))
        }
    }

    private func signInIntake(_ gate: inout AccessGate) {
        let claims = GatewayConnection.intake.claims(id: .random(), expiresAt: Self.now + 60)
        _ = gate.signIn("parley/intake", "parley/gateway", claims, on: ConnectionKey(2))
    }

    @Test("the old token signs in until the new one has, and then neither signs in nor keeps a session")
    func renewal() throws {
        let renewal = Renewal()
        var gate = try gate(token: renewal.first)
        signInIntake(&gate)
        try signIn(&gate, 9, renewal.first)
        #expect(gate.handle(.device(Self.phone, renewal.status))?.ended == [])
        try signIn(&gate, 10, renewal.first, connection: "a")
        #expect(gate.receive(9, "alice:phone", topic) == .allowed)
        #expect(gate.drainTokenUses(now: Self.now) == [])
        try signIn(&gate, 11, renewal.second, connection: "b")
        #expect(gate.drainTokenUses(now: Self.now) == [TokenUse(device: Self.phone, token: renewal.second)])
        #expect(
            gate.signIn("alice:phone:c", "alice", claims(renewal.first), on: ConnectionKey(12)) == .refused(.revoked))
        let noted = gate.handle(.device(Self.phone, renewal.status.withoutPrevious))
        #expect(noted?.ended.sorted() == ["alice:phone", "alice:phone:a"])
        #expect(gate.receive(11, "alice:phone:b", topic) == .allowed)
        #expect(gate.drainTokenUses(now: Self.now) == [])
    }

    @Test("an old token that is never succeeded ends by itself, with its sessions")
    func endOfTheOld() throws {
        let renewal = Renewal()
        var gate = try gate(token: renewal.first)
        try signIn(&gate, 9, renewal.first)
        _ = gate.handle(.device(Self.phone, renewal.status))
        #expect(gate.expire(now: Self.now + 29) == [])
        #expect(gate.receive(9, "alice:phone", topic, now: Self.now + 29) == .allowed)
        #expect(gate.receive(9, "alice:phone", topic, now: Self.now + 30) == .denied(.unknownClient))
        #expect(gate.expire(now: Self.now + 30) == ["alice:phone"])
    }

    @Test("the gateway is told until it knows, and no snapshot of before brings the old token back")
    func untilItIsNoted() throws {
        let renewal = Renewal()
        var gate = try gate(token: renewal.first)
        _ = gate.handle(.device(Self.phone, renewal.status))
        try signIn(&gate, 9, renewal.first)
        try signIn(&gate, 10, renewal.second, connection: "a")
        let use = TokenUse(device: Self.phone, token: renewal.second)
        // The intake is away: nothing is queued for it.
        #expect(gate.drainTokenUses(now: Self.now) == [])
        signInIntake(&gate)
        #expect(gate.drainTokenUses(now: Self.now) == [use])
        #expect(gate.drainTokenUses(now: Self.now + 599) == [])
        #expect(gate.drainTokenUses(now: Self.now + 600) == [use])
        let outcome = gate.handle(.begin(version: 8), .device(Self.phone, renewal.status), .ready(version: 8))
        #expect(outcome?.ended == ["alice:phone"])
        #expect(
            gate.signIn("alice:phone:c", "alice", claims(renewal.first), on: ConnectionKey(12)) == .refused(.revoked))
        #expect(gate.drainTokenUses(now: Self.now + 601) == [use])
        _ = gate.handle(.device(Self.phone, renewal.status.withoutPrevious))
        #expect(gate.drainTokenUses(now: Self.now + 1300) == [])
    }

    @Test("revoking, and a token made anew, end both tokens and all sessions", arguments: [false, true])
    func endings(isRevoked: Bool) throws {
        let renewal = Renewal()
        var gate = try gate(token: renewal.first)
        try signIn(&gate, 9, renewal.first)
        _ = gate.handle(.device(Self.phone, renewal.status))
        try signIn(&gate, 10, renewal.second, connection: "a")
        let change = isRevoked ? .deviceEnded(Self.phone) : AudienceChange.device(Self.phone, Self.status(.random()))
        #expect(gate.handle(change)?.ended.sorted() == ["alice:phone", "alice:phone:a"])
        for token in [renewal.first, renewal.second] {
            #expect(gate.signIn("alice:phone", "alice", claims(token), on: ConnectionKey(12)) == .refused(.revoked))
        }
        signInIntake(&gate)
        #expect(gate.drainTokenUses(now: Self.now) == [])
    }

    @Test("what is remembered of tokens is bounded by the devices there are")
    func memory() throws {
        let renewal = Renewal()
        var gate = try gate(token: renewal.first)
        _ = gate.handle(.device(Self.phone, renewal.status))
        try signIn(&gate, 9, renewal.second)
        _ = gate.handle(.begin(version: 8), .ready(version: 8))
        signInIntake(&gate)
        #expect(gate.drainTokenUses(now: Self.now) == [])
    }
}
