import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("The gate: whom it reports to be connected", .seeded)
struct GatePresenceTests {
    static let now = AccessGate.now
    static let devices = [
        device("alice", "phone"), device("alice", "laptop"), device("bob", "phone"), device("root", "console"),
    ]

    /// A gate with both of the gateway's connections and a snapshot; its first, empty set is taken.
    func gate() -> AccessGate {
        var gate = AccessGate()
        gate.connect(.intake, on: 2)
        gate.connect(.out, on: 1)
        #expect(gate.reports().isEmpty)
        gate.snapshot(Self.devices)
        #expect(gate.reports() == PresenceReport.set(of: [], broker: 5))
        return gate
    }

    @Test("a user comes with the first connection of their devices and goes with the last")
    func connections() {
        var gate = gate()
        _ = gate.signIn(Self.devices[0], on: 10)
        #expect(gate.reports() == [.online("alice")])
        _ = gate.signIn(Self.devices[0], ":cli", on: 11)
        _ = gate.signIn(Self.devices[1], on: 12)
        gate.disconnect(ConnectionKey(10))
        gate.disconnect(ConnectionKey(10))
        gate.disconnect(ConnectionKey(12))
        #expect(gate.reports().isEmpty)
        gate.disconnect(ConnectionKey(11))
        #expect(gate.reports() == [.offline("alice")])
    }

    @Test("a client that takes over its own id is no news, however often; its end is")
    func takeOver() {
        var gate = gate()
        _ = gate.signIn(Self.devices[0], on: 10)
        #expect(gate.reports() == [.online("alice")])
        for key in UInt(11)...20 {
            _ = gate.signIn(Self.devices[0], on: key)
            gate.disconnect(ConnectionKey(key - 1))
            #expect(gate.reports().isEmpty)
        }
        gate.disconnect(ConnectionKey(20))
        #expect(gate.reports() == [.offline("alice")])
    }

    @Test("a record of the broker's that is used anew leaves nobody behind")
    func reuse() {
        var gate = gate()
        _ = gate.signIn(Self.devices[0], on: 10)
        _ = gate.signIn(Self.devices[2], on: 10)
        #expect(gate.reports() == [.online("bob")])
        #expect(gate.signIn(Self.devices[0], token: .random(), on: 10) == .refused(.revoked))
        #expect(gate.reports() == [.offline("bob")])
    }

    @Test("who is refused, and operators, are not reported")
    func refused() {
        var gate = gate()
        #expect(gate.signIn(Self.devices[0], token: .random(), on: 10) == .refused(.revoked))
        #expect(gate.signIn(device("mallory", "phone"), on: 11) == .refused(.revoked))
        _ = gate.signIn(Self.devices[3], on: 12)
        gate.disconnect(ConnectionKey(10))
        gate.disconnect(ConnectionKey(12))
        #expect(gate.reports().isEmpty)
    }

    @Test("whoever is ended is gone: revoked, expired, not in a snapshot, shut out by a fault")
    func ended() {
        let endings: [(inout AccessGate) -> Void] = [
            { _ = $0.handle(.deviceEnded(Self.devices[0])) }, { _ = $0.expire(now: Self.now + 60) },
            { gate in
                gate.disconnect(ConnectionKey(10))
            },
        ]
        for end in endings {
            var gate = gate()
            _ = gate.signIn(Self.devices[0], on: 10)
            _ = gate.reports()
            end(&gate)
            #expect(gate.reports() == [.offline("alice")])
        }
        var gate = gate()
        _ = gate.signIn(Self.devices[0], on: 10)
        gate.snapshot(version: 2, Array(Self.devices.dropFirst()))
        #expect(gate.reports() == PresenceReport.set(of: [], broker: 5))
        _ = gate.signIn(Self.devices[2], on: 11)
        _ = gate.handle([9], from: AccessGateTests.outKey)
        #expect(gate.reports().isEmpty)
        gate.snapshot(version: 3, Self.devices)
        #expect(gate.reports() == PresenceReport.set(of: [], broker: 5))
    }

    @Test("everybody is told when a snapshot is ready and when the intake has come back, and once in ten minutes")
    func sets() {
        var gate = gate()
        _ = gate.signIn(Self.devices[0], on: 10)
        _ = gate.reports()
        gate.snapshot(version: 2, Self.devices)
        #expect(gate.reports() == PresenceReport.set(of: ["alice"], broker: 5))
        #expect(gate.reports().isEmpty)
        gate.disconnect(ConnectionKey(2))
        _ = gate.signIn(Self.devices[2], on: 11)
        gate.disconnect(ConnectionKey(10))
        #expect(gate.reports().isEmpty)
        gate.connect(.intake, on: 3)
        #expect(gate.reports() == PresenceReport.set(of: ["bob"], broker: 5))
        // The broker says that the connection before has ended after another has taken its name.
        gate.connect(.intake, on: 4)
        gate.disconnect(ConnectionKey(3))
        #expect(gate.reports() == PresenceReport.set(of: ["bob"], broker: 5))
        #expect(gate.reports(now: Self.now + 599).isEmpty)
        #expect(gate.reports(now: Self.now + 600) == PresenceReport.set(of: ["bob"], broker: 5))
    }

    @Test("whatever comes in whatever order, who is told to be there is there", arguments: 0..<40)
    func histories(number: Int) throws {
        var generator = Seeded(stream: UInt64(300 + number))
        var gate = AccessGate()
        gate.connect(.out, on: 1)
        /// The connections that stand, and what the gateway has been told.
        var (open, told): ([UInt: ClientID], Set<UserID>) = ([:], [])
        var (isIntakeThere, isReady, nextKey): (Bool, Bool, UInt) = (false, false, 100)
        for round in 0..<500 {
            nextKey += 1
            switch generator.number(0...9) {
            case 0...3:
                let address = try generator.element(Self.devices)
                let suffix = try generator.element(["", "", ":cli"])
                let token = generator.chance(0.8) ? AccessGate.token : .random()
                let decision = gate.signIn(address, suffix, token: token, on: nextKey)
                guard case .admitted(.device(let id)) = decision else {
                    gate.disconnect(ConnectionKey(nextKey))
                    break
                }
                let older = open.first { $0.value == id }?.key
                open[nextKey] = id
                if let older {
                    open[older] = nil
                    gate.disconnect(ConnectionKey(older))
                }
            case 4, 5:
                guard let key = open.keys.sorted().randomElement(using: &generator) else { break }
                open[key] = nil
                gate.disconnect(ConnectionKey(key))
            case 6:
                gate.snapshot(version: UInt64(round), Self.devices)
                isReady = true
            case 7:
                if isIntakeThere { gate.disconnect(ConnectionKey(2)) } else { gate.connect(.intake, on: 2) }
                isIntakeThere.toggle()
            case 8 where generator.chance(0.1):
                _ = gate.handle([9], from: AccessGateTests.outKey)
                (open, isReady) = ([:], false)
            default: break
            }
            if generator.chance(0.7) { told.apply(gate.reports()) }
            if isIntakeThere, isReady {
                told.apply(gate.reports())
                #expect(told == Set(open.values.filter { $0.address.device != "console" }.map(\.address.user)))
            }
        }
    }
}

extension AccessGate {
    /// Asked a second later each time, so that nobody rests.
    fileprivate mutating func reports(now: Int64 = AccessGate.now) -> [PresenceReport] {
        advance(to: uptime + 1_000_000_000)
        return drainPresence(broker: 5, now: now)
    }
}

extension Set<UserID> {
    fileprivate mutating func apply(_ reports: [PresenceReport]) {
        for report in reports {
            switch report {
            case .begin: removeAll()
            case .everyone(let users): formUnion(users)
            case .end: break
            case .online(let user): insert(user)
            case .offline(let user, _): remove(user)
            }
        }
    }
}
