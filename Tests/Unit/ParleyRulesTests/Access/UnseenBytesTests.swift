import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("What a device sends past the plugin")
struct UnseenBytesTests {
    /// The broker's largest packet.
    private static let packet = 384 * 1024
    private static let phone = device("alice", "phone")
    private let key = ConnectionKey(1)

    private func unseen(_ keys: UInt...) -> UnseenBytes {
        var unseen = UnseenBytes()
        for key in [1] + keys { unseen.begin(ConnectionKey(key), of: Self.phone, uptime: 0) }
        return unseen
    }

    @Test("what was shown is not charged, nor one packet that has come in part, and the rest once")
    func charge() {
        var unseen = unseen()
        unseen.showPublish(key, topic: 50, payload: 300_000)
        #expect(unseen.charge(key, received: 300_066, isLast: false, uptime: 1) == nil)
        let shown = 300_050 + 300_050 / 8 + 32
        #expect(unseen.charge(key, received: shown + Self.packet, isLast: false, uptime: 2) == nil)
        let first = unseen.charge(key, received: shown + Self.packet + 7, isLast: false, uptime: 3)
        #expect(first == 7)
        #expect(unseen.charge(key, received: shown + Self.packet + 7, isLast: false, uptime: 4) == nil)
        #expect(unseen.charge(key, received: shown + Self.packet + 9, isLast: false, uptime: 5) == 2)
        // What was charged is not given back when the packet is shown, and not charged again.
        unseen.showPublish(key, topic: 0, payload: Self.packet)
        #expect(unseen.charge(key, received: shown + 2 * Self.packet, isLast: false, uptime: 6) == nil)
    }

    @Test("all connections of a device together may have one packet that has come in part")
    func together() {
        var unseen = unseen(2, 3)
        let half = Self.packet / 2
        #expect(unseen.charge(ConnectionKey(1), received: half, isLast: false, uptime: 1) == nil)
        #expect(unseen.charge(ConnectionKey(2), received: half, isLast: false, uptime: 1) == nil)
        #expect(unseen.charge(ConnectionKey(3), received: half, isLast: false, uptime: 1) == half)
        // One that ends leaves its share to the others.
        unseen.end(ConnectionKey(1))
        #expect(unseen.charge(ConnectionKey(3), received: 2 * half, isLast: false, uptime: 2) == nil)
        #expect(unseen.charge(ConnectionKey(3), received: 2 * half + 1, isLast: false, uptime: 3) == 1)
        // Somebody else's are apart.
        unseen.begin(ConnectionKey(4), of: device("alice", "laptop"), uptime: 0)
        #expect(unseen.charge(ConnectionKey(4), received: Self.packet, isLast: false, uptime: 3) == nil)
    }

    @Test("what was not shown within ten minutes is charged; a packet that was whole meanwhile is not")
    func tenMinutes() {
        var unseen = unseen()
        for second in Int64(0)..<600 {
            let charged = unseen.charge(key, received: 5_000, isLast: false, uptime: second * AccessGate.second)
            #expect(charged == nil)
        }
        // Not yet: it may have come just before the ten minutes began.
        #expect(unseen.charge(key, received: 5_000, isLast: false, uptime: 600 * AccessGate.second) == nil)
        #expect(unseen.charge(key, received: 9_000, isLast: false, uptime: 1199 * AccessGate.second) == nil)
        #expect(unseen.charge(key, received: 200_000, isLast: false, uptime: 1200 * AccessGate.second) == 5_000)
        unseen.showPublish(key, topic: 0, payload: 195_000)
        #expect(unseen.charge(key, received: 200_000, isLast: false, uptime: 1201 * AccessGate.second) == nil)
        for uptime in [1800, 2400] {
            #expect(
                unseen.charge(key, received: 200_000, isLast: false, uptime: Int64(uptime) * AccessGate.second) == nil)
        }
    }

    @Test("what had come of a packet when its connection ended is charged apart, no more than one packet")
    func part() {
        var unseen = unseen()
        unseen.showFilter(key, bytes: 100)
        #expect(unseen.chargePart(key, received: 115) == nil)
        #expect(unseen.chargePart(key, received: 115 + Self.packet + 9) == Self.packet)
        #expect(unseen.charge(key, received: 115 + Self.packet + 9, isLast: true, uptime: 1) == 9)
        #expect(unseen.chargePart(ConnectionKey(9), received: 1) == nil)
    }

    @Test("what may answer a packet is no longer than what nobody was shown, and little for what was shown")
    func answers() {
        var unseen = unseen()
        unseen.showPublish(key, topic: 40, payload: 40_000)
        #expect(unseen.mostAnswers(key, received: 40_060) == 10)
        #expect(unseen.mostAnswers(key, received: 40_040 + 5_005 + 32 + 500) == 510)
        #expect(unseen.mostAnswers(ConnectionKey(9), received: 500) == 0)
    }

    @Test("when a connection ends, all that was not shown is charged")
    func end() {
        var unseen = unseen()
        unseen.showFilter(key, bytes: 100)
        unseen.showProperties(key, count: 2, bytes: 50)
        let shown = 100 + 12 + 3 + 60 + 7
        #expect(unseen.charge(key, received: shown, isLast: true, uptime: 1) == nil)
        #expect(unseen.charge(key, received: shown + 375_000, isLast: true, uptime: 1) == 375_000)
        unseen.end(key)
        #expect(unseen.charge(key, received: 1 << 40, isLast: true, uptime: 1) == nil)
        // A record that is used again begins from nothing.
        unseen.begin(key, of: Self.phone, uptime: 2)
        #expect(unseen.charge(key, received: 3, isLast: true, uptime: 2) == 3)
    }

    @Test("a topic that an alias brings back counts for no more than a topic may be long")
    func alias() {
        var unseen = unseen()
        unseen.showPublish(key, topic: 65_535, payload: -1)
        #expect(unseen.charge(key, received: 1024 + 128 + 32 + 1, isLast: true, uptime: 1) == 1)
    }

    @Test(
        "what honest packets take beside what is shown of them is explained by it",
        arguments: [0, 8])
    func overheads(frame: Int) {
        // PUBLISH at QoS 1 of 40 bytes below a topic of 40, with a frame of WebSocket or without.
        var unseen = unseen()
        for _ in 0..<1_000 { unseen.showPublish(key, topic: 40, payload: 40) }
        let publish = 2 + 2 + 40 + 2 + 1 + 40 + frame
        #expect(unseen.charge(key, received: 1_000 * publish, isLast: true, uptime: 1) == nil)
        // PUBACK with a reason.
        unseen = self.unseen()
        for _ in 0..<1_000 { unseen.expectAcknowledgement(key) }
        #expect(unseen.charge(key, received: 1_000 * (6 + frame), isLast: true, uptime: 1) == nil)
    }
}

@Suite("The gate: what a device sends past the plugin")
struct UnseenGateTests {
    static let people = [
        device("alice", "phone"), device("alice", "laptop"), device("alice", "watch"), device("bob", "phone"),
        device("root", "console"),
    ]
    private static let large = 375_000
    /// The broker's largest packet, and what a device may send besides.
    static let (packet, part) = (384 * 1024, 128 * 1024)

    /// Three devices of Alice's, one of Bob's and an operator's, signed in over TCP on 10 to 14, and Alice's phone once
    /// more on 20.
    func gate() -> AccessGate {
        var gate = AccessGate.ready(Self.people, operatorListeners: .loopback)
        for (number, address) in Self.people.enumerated() {
            #expect(gate.signIn(address, on: UInt(10 + number), from: .loopback).isAdmitted)
        }
        #expect(gate.signIn(Self.people[0], ":x", on: 20, from: .loopback).isAdmitted)
        return gate
    }

    /// The clients that are taken off when so much was received.
    func takenOff(_ gate: inout AccessGate, _ key: UInt, _ received: Int) -> [ExcessiveClient] {
        gate.recordReceived(ConnectionKey(key), bytes: received)
        return gate.drainExcessive().sorted { $0.clientID < $1.clientID }
    }

    @Test("one packet and a part are borne, then all connections of the device end, and it is turned away for a moment")
    func burst() {
        var gate = gate()
        let most = Self.packet + Self.part
        #expect(takenOff(&gate, 10, most).isEmpty)
        let ended = takenOff(&gate, 10, most + 1)
        #expect(ended.map(\.clientID) == ["alice:phone", "alice:phone:x"])
        #expect(ended.allSatisfy { $0.reason == .unseenBytes })
        gate.disconnect(ConnectionKey(10))
        #expect(gate.signIn(Self.people[0], on: 30, from: .loopback) == .turnedAway(.suspended))
        #expect(gate.signIn(Self.people[3], on: 13, from: .loopback).isAdmitted)
        // Afterwards there is room for what has been given back, and for no packet under way.
        gate.advance(to: 5 * AccessGate.second)
        #expect(gate.signIn(Self.people[0], on: 30, from: .loopback).isAdmitted)
        #expect(takenOff(&gate, 30, 5 * 4096).isEmpty)
        #expect(takenOff(&gate, 30, 5 * 4096 + 1).map(\.clientID) == ["alice:phone", "alice:phone:x"])
        // In half a minute it is trusted again.
        gate.disconnect(ConnectionKey(30))
        gate.advance(to: 30 * AccessGate.second)
        #expect(gate.signIn(Self.people[0], on: 31, from: .loopback).isAdmitted)
        #expect(takenOff(&gate, 31, Self.packet).isEmpty)
    }

    @Test("connecting anew for each packet gains nothing")
    func reconnecting() {
        var gate = gate()
        var admitted = 0
        while admitted < 100, gate.signIn(Self.people[0], on: 10, from: .loopback).isAdmitted {
            admitted += 1
            gate.recordReceived(ConnectionKey(10), bytes: Self.large, isLast: true)
            gate.disconnect(ConnectionKey(10))
        }
        // What came of two packets is more than is borne; it takes 43 s to come back.
        #expect(admitted == 2)
        gate.advance(to: 40 * AccessGate.second)
        #expect(gate.signIn(Self.people[0], on: 10, from: .loopback) == .turnedAway(.suspended))
        // Nor does a take-over, whose older connection ends after the newer one has begun.
        for round in UInt(0)..<100 where gate.signIn(Self.people[3], on: 40 + round, from: .loopback).isAdmitted {
            gate.recordReceived(ConnectionKey(round == 0 ? 13 : 39 + round), bytes: Self.large, isLast: true)
            gate.disconnect(ConnectionKey(round == 0 ? 13 : 39 + round))
        }
        #expect(gate.signIn(Self.people[3], on: 13, from: .loopback) == .turnedAway(.suspended))
    }

    @Test(
        "a user has the share of two devices; others, operators and the gateway's own socket have nothing to do with it"
    )
    func user() {
        var gate = gate()
        let most = Self.packet + Self.part
        #expect(takenOff(&gate, 10, most).isEmpty)
        #expect(takenOff(&gate, 11, most).isEmpty)
        #expect(takenOff(&gate, 12, 1).map(\.clientID) == ["alice:watch"])
        #expect(takenOff(&gate, 13, most).isEmpty)
        #expect(takenOff(&gate, 14, 1 << 40).isEmpty)
        #expect(takenOff(&gate, 1, 1 << 40).isEmpty)
        #expect(takenOff(&gate, 99, 1 << 40).isEmpty)
        #expect(gate.signIn(Self.people[3], ":y", on: 21, from: .unixSocket).isAdmitted)
        #expect(takenOff(&gate, 21, 1 << 40).isEmpty)
    }

    @Test("who publishes as much as they may for minutes is not taken off")
    func publishing() {
        var gate = gate()
        var received = 400
        for second in Int64(1)...300 {
            gate.advance(to: second * AccessGate.second)
            // 4 MiB in packets of 64 KiB by WebSocket, of which one more is under way.
            for _ in 0..<64 { _ = gate.publish(10, "parley/v1/up/alice/phone/messages/send", payloadLength: 65_000) }
            received += 64 * (65_000 + 40 + 40)
            #expect(takenOff(&gate, 10, received + 60_000).isEmpty)
        }
    }

    @Test("who acknowledges thousands of messages a second by WebSocket is not taken off; who was sent none is")
    func acknowledging() {
        var gate = gate()
        for second in Int64(1)...100 {
            gate.advance(to: second * AccessGate.second)
            for _ in 0..<4_000 { _ = gate.receive(10, "alice:phone", "parley/v1/users/alice/events", payloadLength: 9) }
            #expect(takenOff(&gate, 10, Int(second) * 4_000 * 12).isEmpty)
        }
        gate = self.gate()
        let taken = (Int64(1)...100).first { second in
            gate.advance(to: second * AccessGate.second)
            return !takenOff(&gate, 10, Int(second) * 4_000 * 12).isEmpty
        }
        #expect(taken != nil)
    }
}
