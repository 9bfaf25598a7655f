import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("The gate: how many filters a second")
struct SubscribeRateTests {
    private static let filter = "parley/v1/gateway/status"

    /// Two devices of Alice's and one of Bob's, signed in on 10, 11 and 12.
    private func gate(burst: Int = 20, perSecond: Int = 2) -> AccessGate {
        let devices = [device("alice", "phone"), device("alice", "laptop"), device("bob", "phone")]
        var gate = AccessGate.ready(devices) { ($0.subscribeBurst, $0.subscribesPerSecond) = (burst, perSecond) }
        for (number, address) in devices.enumerated() {
            _ = gate.signIn(address, on: UInt(10 + number))
        }
        return gate
    }

    private func granted(_ gate: inout AccessGate, _ key: UInt, of count: Int) -> Int {
        (0..<count).count { _ in gate.subscribe(key, Self.filter).isAllowed }
    }

    private func leaves(_ gate: inout AccessGate, _ key: UInt, isSubscribe: Bool) -> Bool {
        gate.leavesPacket(ConnectionKey(key), isSubscribe: isSubscribe)
    }

    @Test("a device has a burst and then a rate, and the same filter again counts")
    func rate() {
        var gate = gate()
        #expect(granted(&gate, 10, of: 50) == 20)
        gate.advance(to: 3 * AccessGate.second)
        #expect(granted(&gate, 10, of: 50) == 6)
        gate.advance(to: 3600 * AccessGate.second)
        #expect(granted(&gate, 10, of: 50) == 20)
        // A clock that goes back gives nothing back, and blocks nobody for longer.
        gate.advance(to: 0)
        #expect(granted(&gate, 10, of: 50) == 0)
        gate.advance(to: 3601 * AccessGate.second)
        #expect(granted(&gate, 10, of: 50) == 2)
        #expect(granted(&gate, 12, of: 50) == 20)
    }

    @Test("a user has twice that over all devices, and connecting anew gains nothing")
    func userAndReconnect() {
        var gate = gate()
        #expect(granted(&gate, 10, of: 30) == 20)
        #expect(granted(&gate, 11, of: 15) == 15)
        gate.disconnect(ConnectionKey(10))
        _ = gate.signIn(device("alice", "phone"), on: 20)
        _ = gate.signIn(device("alice", "phone"), ":x", on: 21)
        #expect(granted(&gate, 20, of: 30) == 0)
        #expect(granted(&gate, 21, of: 30) == 0)
        gate.advance(to: 5 * AccessGate.second)
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
        #expect(gate.drainExcessive().map(\.clientID) == ["alice:phone"])
        #expect(gate.drainExcessive().isEmpty)
        gate.disconnect(ConnectionKey(10))
        let phone = device("alice", "phone")
        #expect(gate.signIn(phone, on: 20) == .turnedAway(.suspended))
        gate.advance(to: 5 * AccessGate.second)
        #expect(gate.signIn(phone, on: 20).isAdmitted)
        _ = granted(&gate, 20, of: 300)
        gate.disconnect(ConnectionKey(20))
        #expect(gate.drainExcessive().map(\.hasEnded) == [true])
        #expect(gate.signIn(phone, on: 20) == .turnedAway(.suspended))
    }

    @Test("the broker leaves a packet of filters whose sender has gone on past their limits, and not too often")
    func leaving() {
        var gate = gate()
        _ = granted(&gate, 10, of: 100)
        #expect(!leaves(&gate, 10, isSubscribe: true))
        _ = granted(&gate, 10, of: 100)
        #expect(leaves(&gate, 10, isSubscribe: false))
        // What the broker loses at each is paced like what it loses by subscribing anew.
        #expect((0..<1_000).count { _ in leaves(&gate, 10, isSubscribe: true) } < 200)
        #expect(leaves(&gate, 10, isSubscribe: false))
        #expect(!leaves(&gate, 12, isSubscribe: false))
        gate.disconnect(ConnectionKey(10))
        #expect(gate.drainExcessive().map(\.hasEnded) == [true])
        #expect(!leaves(&gate, 10, isSubscribe: false))
    }

    @Test("a session that begins anew, however the one before ended, has subscribed to nothing")
    func newSession() {
        var gate = gate(burst: 1 << 30, perSecond: 1 << 20)
        for _ in 0..<100 {
            gate.disconnect(ConnectionKey(10))
            let phone = device("alice", "phone")
            #expect(gate.signIn(phone, on: 10, cleanStart: false).isAdmitted)
            for number in 0..<100 {
                let filter = "parley/v1/down/alice/phone/screen/\(number)/of/the/app"
                #expect(gate.subscribe(10, filter, held: number) == .allowed)
            }
        }
    }

    @Test("filters that are given up count as those that are subscribed to, and who goes on is taken off")
    func unsubscribing() {
        var gate = gate()
        #expect((0..<50).count { _ in gate.unsubscribe(10, Self.filter).isAllowed } == 20)
        #expect(granted(&gate, 10, of: 50) == 20)
        gate.advance(to: 3 * AccessGate.second)
        #expect((0..<50).count { _ in gate.unsubscribe(10, Self.filter).isAllowed } == 6)
        #expect(gate.unsubscribe(99, Self.filter) == .denied(.unknownClient))
        #expect(gate.unsubscribe(1, Self.filter) == .allowed)
        _ = (0..<200).count { _ in gate.unsubscribe(10, Self.filter).isAllowed }
        #expect(gate.drainExcessive().map(\.clientID) == ["alice:phone"])
    }

    @Test("subscribing anew to what a session has costs a user less than 1 MB in a day, whatever the rate is")
    func again() {
        var gate = gate(burst: 1 << 30, perSecond: 1 << 20)
        let filter = "parley/v1/down/alice/phone/" + String(repeating: "x", count: 250)
        var bytes = 0
        for minute in Int64(0)..<1_440 {
            gate.advance(to: minute * 60 * AccessGate.second)
            for key: UInt in [10, 11] {
                let own = key == 10 ? filter : filter.replacing("phone", with: "laptop")
                while gate.subscribe(key, own).isAllowed { bytes += own.utf8.count + 16 }
            }
        }
        #expect(bytes > 500_000 && bytes < 1_000_000)
    }

    @Test("who connects fifty times in ten minutes and subscribes to all they have each time is never refused")
    func everythingAtEachConnect() {
        var gate = gate(burst: 4_000, perSecond: 5)
        for round in 0..<50 {
            gate.advance(to: Int64(round) * 12 * AccessGate.second)
            gate.disconnect(ConnectionKey(10))
            let phone = device("alice", "phone")
            let isClean = round.isMultiple(of: 2)
            #expect(gate.signIn(phone, on: 10, cleanStart: isClean).isAdmitted)
            for number in 0..<60 {
                #expect(gate.subscribe(10, "parley/v1/down/alice/phone/screen/\(number)/of/the/app/#") == .allowed)
            }
        }
    }

    @Test("what was given up, and what a clean start has ended, is subscribed to as if for the first time")
    func forgotten() {
        var gate = gate(burst: 1 << 30, perSecond: 1 << 20)
        for _ in 0..<200 {
            #expect(gate.subscribe(10, Self.filter) == .allowed)
            #expect(gate.unsubscribe(10, Self.filter) == .allowed)
        }
        let phone = device("alice", "phone")
        while gate.subscribe(10, Self.filter).isAllowed {}
        #expect(gate.signIn(phone, on: 20, cleanStart: false).isAdmitted)
        #expect(gate.subscribe(20, Self.filter) == .denied(.overLimit))
        #expect(gate.signIn(phone, on: 21, cleanStart: true).isAdmitted)
        #expect(gate.subscribe(21, Self.filter) == .allowed)
    }

    @Test("who asks a little too often for ever is refused, and not taken off")
    func slowly() {
        var gate = gate()
        _ = granted(&gate, 10, of: 20)
        for second in Int64(1)...200 {
            gate.advance(to: second * AccessGate.second)
            #expect(granted(&gate, 10, of: 10) == 2)
        }
        #expect(gate.drainExcessive().isEmpty)
    }
}
