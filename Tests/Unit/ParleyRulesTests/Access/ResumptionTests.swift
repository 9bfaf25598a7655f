import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// A device that has the name of a revoked one, and what the broker has kept under that name.
extension AccessGateTests {
    private static func reused(_ token: TokenID, at moment: Int64 = 5) -> DeviceStatus {
        DeviceStatus(token: token, expiresAt: now + 60, role: .device, nameReusedAt: moment)
    }

    private static let own = "parley/v1/up/alice/phone/messages/send"

    /// A gate whose device was revoked and added again with `token`, and whose conversation it hears.
    private func gateOfAnotherDevice(_ token: TokenID) throws -> AccessGate {
        var gate = try gate(token: .random())
        _ = gate.handle(.deviceEnded(Self.phone), .device(Self.phone, Self.reused(token)))
        return gate
    }

    @Test("what is asked while its first CONNECT is handled is refused, and nothing after that")
    func firstSignIn() throws {
        let token = TokenID.random()
        var gate = try gateOfAnotherDevice(token)
        #expect(gate.receive(50, "alice:phone", topic) == .denied(.anotherDevice))
        try signIn(&gate, 9, token)
        #expect(gate.receive(9, "alice:phone", topic) == .denied(.anotherDevice))
        // The end of the connection that is taken over is told in between.
        gate.disconnect(ConnectionKey(77))
        #expect(gate.receive(9, "alice:phone", topic) == .denied(.anotherDevice))
        #expect(gate.publish(9, Self.own) == .allowed)
        #expect(gate.receive(9, "alice:phone", topic) == .allowed)
        gate.disconnect(ConnectionKey(9))
        #expect(gate.receive(50, "alice:phone", topic) == .allowed)
        try signIn(&gate, 10, token)
        #expect(gate.receive(10, "alice:phone", topic) == .allowed)
    }

    @Test("anything else that happens ends it: another's publish, a subscription, a change, a tick")
    func whatEndsIt() throws {
        let token = TokenID.random()
        let events: [(inout AccessGate) -> Void] = [
            { _ = $0.publish(1, "parley/v1/gateway/status") }, { _ = $0.subscribe(9, topic) },
            { _ = $0.handle(.friends(Self.phone.user, UserID(validated: "bob"))) }, { _ = $0.drainExhausted() },
            { _ = $0.receive(50, "parley/intake", Self.own) },
        ]
        for event in events {
            var gate = try gateOfAnotherDevice(token)
            try signIn(&gate, 9, token)
            event(&gate)
            #expect(gate.receive(9, "alice:phone", topic) == .allowed)
        }
    }

    @Test("a connection that ends before its CONNECT was handled has brought nothing back")
    func refusedByTheBroker() throws {
        let token = TokenID.random()
        var gate = try gateOfAnotherDevice(token)
        try signIn(&gate, 9, token)
        gate.disconnect(ConnectionKey(9))
        try signIn(&gate, 10, token)
        #expect(gate.receive(10, "alice:phone", topic) == .denied(.anotherDevice))
    }

    @Test("a further connection brings nothing back and settles nothing")
    func furtherConnection() throws {
        let token = TokenID.random()
        var gate = try gateOfAnotherDevice(token)
        try signIn(&gate, 9, token, connection: "cli")
        #expect(gate.receive(9, "alice:phone:cli", topic) == .allowed)
        #expect(gate.publish(9, Self.own) == .allowed)
        try signIn(&gate, 10, token)
        #expect(gate.receive(10, "alice:phone", topic) == .denied(.anotherDevice))
    }

    @Test("revoked and added once more, also unseen between two snapshots, it begins anew")
    func again() throws {
        let token = TokenID.random()
        for isSeen in [true, false] {
            var gate = try gateOfAnotherDevice(token)
            try signIn(&gate, 9, token)
            _ = gate.drainExhausted()
            #expect(gate.receive(9, "alice:phone", topic) == .allowed)
            let next = AudienceChange.device(Self.phone, Self.reused(token, at: 6))
            if isSeen {
                _ = gate.handle(.deviceEnded(Self.phone), next)
            } else {
                _ = gate.handle(
                    .begin(version: 8), next, .conversation(cid, members: [Self.phone.user]),
                    .ready(version: 8))
            }
            try signIn(&gate, 10, token)
            #expect(gate.receive(10, "alice:phone", topic) == .denied(.anotherDevice))
        }
    }

    @Test("a connection whose kept messages were refused must be made anew; a few refusals of others are borne")
    func exhausted() throws {
        let token = TokenID.random()
        var gate = try gateOfAnotherDevice(token)
        try signIn(&gate, 9, token)
        #expect(gate.receive(9, "alice:phone", topic) == .denied(.anotherDevice))
        #expect(gate.drainExhausted() == ["alice:phone"])
        #expect(gate.drainExhausted() == [])
        for (count, expected) in [(8, []), (9, ["alice:phone"])] {
            try signIn(&gate, 10, token)
            for _ in 0..<count {
                #expect(gate.receive(10, "alice:phone", "parley/v1/users/bob/events") == .denied(.foreignTopic))
            }
            #expect(gate.drainExhausted() == expected)
            #expect(gate.receive(10, "alice:phone", "parley/v1/users/bob/events") == .denied(.foreignTopic))
            #expect(gate.drainExhausted() == [])
        }
    }
}
