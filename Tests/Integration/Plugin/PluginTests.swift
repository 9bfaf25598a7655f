import ParleyProtocol
import Sodium
import TestSupport
import Testing

/// The plugin in a real broker. Each test has a broker of its own.
@Suite("Broker plugin", .ownThreads)
struct PluginTests {
    let alice = TestDevice("alice", "phone")
    let bob = TestDevice("bob", "phone")
    let eve = TestDevice("eve", "phone")
    let console = TestDevice("operator", "console", role: .operator)
    let conversation = ConversationID.random()

    var topic: String { "parley/v1/conversations/\(conversation)/messages" }

    /// Alice and Bob talk, Eve does not.
    var facts: [AudienceChange] {
        [alice, bob, eve, console].map { $0.change() } + [
            .conversation(conversation, members: [alice.address.user, bob.address.user])
        ]
    }

    /// A broker whose plugin has the facts, and the gateway's `out` connection.
    func readyBroker() throws -> (PluginBroker, WireClient) {
        let broker = try PluginBroker()
        let out = try broker.gateway()
        #expect(try out.snapshot(facts) == .ready(version: 1))
        return (broker, out)
    }

    /// A broker whose plugin has the facts and these limits, and the gateway's `out` connection.
    func limitedBroker(_ change: (inout BrokerLimits) -> Void) throws -> (PluginBroker, out: WireClient) {
        var limits = BrokerLimits()
        change(&limits)
        let broker = try PluginBroker()
        let out = try broker.gateway()
        #expect(try out.snapshot([.limits(limits)] + facts) == .ready(version: 1))
        return (broker, out)
    }

    /// The topics of the messages to a client until now.
    func received(_ client: WireClient) throws -> [String] { try client.drain().map(\.topic) }
}

// MARK: Signing in

extension PluginTests {
    @Test("before the snapshot a device is closed without a verdict, after it admitted")
    func readiness() throws {
        let broker = try PluginBroker()
        #expect(try alice.connect(to: broker).code == nil)
        let out = try broker.gateway()
        #expect(try alice.connect(to: broker).code == nil)
        try out.tell([.begin(version: 5)] + facts)
        #expect(try alice.connect(to: broker).code == nil)
        try out.tell([.ready(version: 5)])
        #expect(try AudienceCodec.answer(in: out.nextMessage().payload) == .ready(version: 5))
        #expect(try alice.connect(to: broker).code == 0)
        #expect(try alice.connect(to: broker, version: .v311).code == 0)
        #expect(broker.log.contains("alice:phone from 127.0.0.1 must try again: the gateway has not sent"))
        let intake = try broker.gateway(.intake)
        #expect(try intake.counts { $0.notReady > 0 }.notReady == 3)
    }

    @Test("a bad token is told Not authorized, in both versions of the protocol")
    func badTokens() throws {
        let (broker, _) = try readyBroker()
        let other = try Ed25519.SigningKey(seed: .random(count: 32))
        var expired = alice
        expired.expiresAt = PluginBroker.seconds(fromNow: -1)
        var replaced = alice
        replaced.token = .random()
        var promoted = alice
        promoted.role = .operator
        var passwords: [[UInt8]?] = try [expired, replaced, promoted, bob].map { try broker.token($0.claims) }
        passwords.append(try broker.token(alice.claims, signedBy: other))
        passwords.append(contentsOf: [[], Array("secret".utf8), nil])
        for password in passwords {
            #expect(try broker.client().connect("alice:phone", username: "alice", password: password) == 0x87)
            let code = try broker.client().connect(
                "alice:phone", username: "alice", password: password, version: .v311)
            #expect(code == 5)
        }
        let good = try broker.token(alice.claims)
        #expect(try broker.client().connect("alice:tablet", username: "alice", password: good) == 0x87)
        #expect(try broker.client().connect("alice:phone", username: "bob", password: good) == 0x87)
        #expect(try broker.client().connect("alice", username: "alice", password: good) == 0x87)
        #expect(try broker.client().connect("alice:phone", username: nil, password: nil) != 0)
        #expect(try broker.client().connect("alice:phone", username: "alice", password: good) == 0)
        #expect(broker.isRunning)
    }

    @Test("a good token is let in at the first try, whatever follows a zero behind it, and a bad one is not")
    func bytesAfterTheToken() throws {
        let (broker, _) = try readyBroker()
        let token = try broker.token(alice.claims)
        for version in [WireClient.Version.v5, .v311] {
            for count in 0..<48 {
                let after = count == 0 ? [] : [0] + [UInt8](repeating: 0x41, count: count - 1)
                func connect(_ token: some Sequence<UInt8>) throws -> UInt8? {
                    try broker.client().connect(
                        "alice:phone", username: "alice", password: token + after, version: version)
                }
                #expect(try connect(token) == 0)
                #expect(try connect(token.dropLast()) == (version == .v5 ? 0x87 : 5))
            }
        }
    }

    @Test("tokens of all lengths are let in at the first try, after others have come and gone many times")
    func manySignIns() throws {
        let broker = try PluginBroker()
        let out = try broker.gateway()
        let devices = (1...64).map { TestDevice("alice", String(repeating: "d", count: $0)) }
        var limits = BrokerLimits()
        limits.connectionsPerUser = 1_000
        #expect(try out.snapshot([.limits(limits)] + devices.map { $0.change() }) == .ready(version: 1))
        let payload = [UInt8](repeating: 0x20, count: 400)
        for round in 0..<10 {
            let clients = try devices.map { device in
                try device.signIn(
                    to: broker, version: round.isMultiple(of: 2) ? .v5 : .v311, clean: !round.isMultiple(of: 3),
                    sessionExpiry: round.isMultiple(of: 3) ? 60 : 0)
            }
            for (device, client) in zip(devices, clients) {
                #expect(try client.subscribe("\(device.down)/#") == 1)
                try out.publish("\(device.down)/a/b/accepted", payload)
                #expect(try client.drain().count == 1)
            }
            for client in clients { client.close() }
        }
        #expect(!broker.log.contains("parley: alice"))
    }

    @Test("the gateway's names are refused on the TCP listener, even with its token")
    func gatewayFromOutside() throws {
        let (broker, out) = try readyBroker()
        let token = try broker.token(
            GatewayConnection.out.claims(id: .random(), expiresAt: PluginBroker.seconds(fromNow: 60)))
        let code = try broker.client().connect(
            GatewayConnection.out.clientID, username: GatewayConnection.username, password: token)
        #expect(code == 0x87)
        #expect(try out.publish("parley/v1/gateway/status", "{}", retain: true) == 0x10)
    }

    @Test("an operator's token signs in on the listeners that the option names, by the Unix socket alone without it")
    func operatorListeners() throws {
        for (option, overTCP) in [(nil, UInt8(0x87)), ("unix", 0x87), ("loopback", 0), ("any", 0)] {
            let broker = try PluginBroker(operatorListeners: option)
            let out = try broker.gateway()
            #expect(try out.snapshot(facts) == .ready(version: 1))
            #expect(try console.connect(to: broker).code == overTCP)
            #expect(try console.connect(to: broker, isLocal: true).code == 0)
            #expect(try alice.connect(to: broker).code == 0)
            #expect(broker.log.contains("operator's token from outside") == (overTCP != 0))
        }
    }

    @Test("a further connection needs clean start and runs beside the main one")
    func furtherConnection() throws {
        let (broker, out) = try readyBroker()
        #expect(try alice.connect(to: broker, connection: "cli", clean: false).code == 0x87)
        let (main, further) = (try alice.signIn(to: broker), try alice.signIn(to: broker, connection: "cli"))
        for client in [main, further] { #expect(try client.subscribe("\(alice.down)/#") == 1) }
        try out.publish("\(alice.down)/x/y/accepted", "reply")
        #expect(try received(main) == ["\(alice.down)/x/y/accepted"])
        #expect(try received(further) == ["\(alice.down)/x/y/accepted"])
    }

    @Test("the will of somebody who was refused is not delivered, whatever name was given")
    func strangersWill() throws {
        let (broker, out) = try readyBroker()
        #expect(try out.subscribe("parley/v1/#") == 1)
        for clientID in [GatewayConnection.out.clientID, "alice:phone"] {
            let stranger = try broker.client()
            let code = try stranger.connect(
                clientID, username: GatewayConnection.username, password: [1],
                will: WireClient.Will(topic: "parley/v1/gateway/status"))
            #expect(code == 0x87)
        }
        #expect(try received(out) == [])
    }
}
