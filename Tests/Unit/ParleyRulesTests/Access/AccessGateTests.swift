import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("The gate: connections, snapshots, endings")
struct AccessGateTests {
    static let now = AccessGate.now
    static let outKey = ConnectionKey(1)
    static let phone = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))
    let cid = ConversationID.random()
    var topic: String { "parley/v1/conversations/\(cid)/messages" }

    static func status(_ token: TokenID, expiresIn seconds: Int64 = 60) -> DeviceStatus {
        DeviceStatus(token: token, expiresAt: now + seconds, role: .device)
    }

    /// A gate with the gateway's `out` connection and, if asked for, a snapshot of one device and its conversation.
    func gate(token: TokenID? = nil) throws -> AccessGate {
        var gate = AccessGate()
        let claims = GatewayConnection.out.claims(id: .random(), expiresAt: Self.now + 60)
        #expect(gate.signIn("parley/out", "parley/gateway", claims, on: Self.outKey) == .admitted(.gateway(.out)))
        if let token {
            let outcome = gate.handle(
                .begin(version: 7), .device(Self.phone, Self.status(token)),
                .conversation(cid, members: [Self.phone.user]), .ready(version: 7))
            #expect(outcome == AudienceOutcome(ended: [], answer: .ready(version: 7)))
        }
        return gate
    }

    func claims(_ token: TokenID) -> AccessToken.Claims {
        AccessToken.Claims(
            user: Self.phone.user, device: Self.phone.device, expiresAt: Self.now + 60, id: token, role: .device)
    }

    func signIn(_ gate: inout AccessGate, _ key: UInt, _ token: TokenID, connection: String? = nil) throws {
        let id = try #require(ClientID(address: Self.phone, connection: connection))
        #expect(gate.signIn("\(id)", "alice", claims(token), on: ConnectionKey(key)) == .admitted(.device(id)))
    }
}

// MARK: Snapshots

extension AccessGateTests {
    @Test("before a snapshot is ready no device signs in, and nobody stored receives")
    func beforeSnapshot() throws {
        var gate = try gate()
        let token = TokenID.random()
        #expect(!gate.isReady)
        #expect(gate.signIn("alice:phone", "alice", claims(token), on: ConnectionKey(9)) == .notReady)
        #expect(gate.receive(9, "alice:phone", topic) == .denied(.notReady))
        _ = gate.handle(.begin(version: 1), .device(Self.phone, Self.status(token)))
        #expect(gate.signIn("alice:phone", "alice", claims(token), on: ConnectionKey(9)) == .notReady)
        #expect(gate.handle(.ready(version: 1))?.answer == .ready(version: 1))
        try signIn(&gate, 9, token)
    }

    @Test("a proxy's check is answered while devices may sign in, and counted as no sign-in")
    func checks() throws {
        var gate = try gate()
        func check() -> SignInDecision {
            let attempt = SignInAttempt(
                clientID: Array("parley-check".utf8), username: [], password: [], origin: .loopback, cleanStart: true)
            return gate.signIn(attempt, on: ConnectionKey(9), now: AccessGate.now) { _ in true }
        }
        #expect(check() == .notReady)
        gate.snapshot([Self.phone])
        gate.connect(.intake, on: 2)
        #expect(check() == .refused(.clientID))
        #expect(gate.drainCounts() == nil)
    }

    @Test("a second snapshot takes effect only when it is ready, and then whole")
    func secondSnapshot() throws {
        let token = TokenID.random()
        var gate = try gate(token: token)
        try signIn(&gate, 9, token)
        #expect(gate.handle(.begin(version: 8), .conversation(cid, members: [])) == AudienceOutcome())
        #expect(gate.receive(9, "alice:phone", topic) == .allowed)
        let outcome = gate.handle(.device(Self.phone, Self.status(token)), .ready(version: 8))
        #expect(outcome == AudienceOutcome(ended: [], answer: .ready(version: 8)))
        #expect(gate.receive(9, "alice:phone", topic) == .denied(.foreignTopic))
    }

    @Test("a snapshot ends the connections of devices that it names with another token, or not at all")
    func snapshotEnds() throws {
        let token = TokenID.random()
        for changes: [AudienceChange] in [[], [.device(Self.phone, Self.status(.random()))]] {
            var gate = try gate(token: token)
            try signIn(&gate, 9, token)
            try signIn(&gate, 10, token, connection: "cli")
            let outcome = gate.handle([.begin(version: 8)] + changes + [.ready(version: 8)])
            #expect(Set(outcome?.ended ?? []) == ["alice:phone", "alice:phone:cli"])
        }
    }

    @Test("what is malformed or out of order shuts the devices out until a new snapshot")
    func failsClosed() throws {
        let token = TokenID.random()
        let messages: [([UInt8], AudienceFeedError)] = [
            ([], .malformed), ([7, 99], .malformed), ([8], .unsupportedFormat),
            (AudienceCodec.messages(for: [.ready(version: 7)])[0], .outOfOrder),
            (AudienceCodec.messages(for: [.begin(version: 1), .ready(version: 2)])[0], .outOfOrder),
        ]
        for (message, refusal) in messages {
            var gate = try gate(token: token)
            try signIn(&gate, 9, token)
            let outcome = gate.handle(message, from: Self.outKey)
            #expect(outcome == AudienceOutcome(ended: ["alice:phone"], answer: .snapshotNeeded(refusal)))
            #expect(!gate.isReady)
            #expect(gate.signIn("alice:phone", "alice", claims(token), on: ConnectionKey(10)) == .notReady)
            #expect(gate.receive(9, "alice:phone", topic) == .denied(.notReady))
            #expect(gate.publish(1, "parley/v1/gateway/status", retain: true) == .allowed)
            let change = AudienceChange.conversation(cid, members: [])
            #expect(gate.handle(change)?.answer == .snapshotNeeded(.outOfOrder))
            _ = gate.handle(.begin(version: 9), .device(Self.phone, Self.status(token)), .ready(version: 9))
            try signIn(&gate, 10, token)
        }
    }

    @Test("changes come from the gateway alone")
    func onlyTheGateway() throws {
        let token = TokenID.random()
        var gate = try gate(token: token)
        try signIn(&gate, 9, token)
        let message = AudienceCodec.messages(for: [.conversation(cid, members: [])])[0]
        #expect(gate.handle(message, from: ConnectionKey(9)) == nil)
        #expect(gate.handle([0xFF], from: ConnectionKey(77)) == nil)
        #expect(gate.receive(9, "alice:phone", topic) == .allowed)
    }
}

// MARK: Endings

extension AccessGateTests {
    @Test("revoking a device ends all its connections and no other's")
    func revoking() throws {
        let token = TokenID.random()
        var gate = try gate(token: token)
        let tablet = DeviceAddress(user: Self.phone.user, device: DeviceID(validated: "tablet"))
        _ = gate.handle(.device(tablet, Self.status(token)))
        try signIn(&gate, 9, token)
        try signIn(&gate, 10, token, connection: "cli")
        let claims = AccessToken.Claims(
            user: tablet.user, device: tablet.device, expiresAt: Self.now + 60, id: token, role: .device)
        _ = gate.signIn("alice:tablet", "alice", claims, on: ConnectionKey(11))
        let outcome = gate.handle(.deviceEnded(Self.phone), .deviceEnded(Self.phone))
        #expect(outcome?.ended.sorted() == ["alice:phone", "alice:phone:cli"])
        #expect(outcome?.answer == nil)
        #expect(gate.receive(9, "alice:phone", topic) == .denied(.unknownClient))
        #expect(gate.receive(11, "alice:tablet", topic) == .allowed)
        #expect(gate.signIn("alice:phone", "alice", self.claims(token), on: ConnectionKey(9)) == .refused(.revoked))
    }

    @Test("a token made anew ends the sessions of the old one, and keeps it out")
    func newToken() throws {
        let (first, second) = (TokenID.random(), TokenID.random())
        var gate = try gate(token: first)
        try signIn(&gate, 9, first)
        #expect(gate.handle(.device(Self.phone, Self.status(second)))?.ended == ["alice:phone"])
        #expect(gate.publish(9, "parley/v1/up/alice/phone/messages/send") == .denied(.unknownClient))
        #expect(gate.signIn("alice:phone:a", "alice", claims(first), on: ConnectionKey(10)) == .refused(.revoked))
        try signIn(&gate, 10, second)
        gate.connect(.intake, on: 2)
        #expect(gate.drainCounts()?.accessEnded == 1)
    }

    @Test("a session ends when its token does, and not a second before")
    func expiry() throws {
        let token = TokenID.random()
        var gate = try gate(token: token)
        try signIn(&gate, 9, token)
        #expect(gate.expire(now: Self.now + 59) == [])
        #expect(gate.receive(9, "alice:phone", topic, now: Self.now + 59) == .allowed)
        #expect(gate.receive(9, "alice:phone", topic, now: Self.now + 60) == .denied(.unknownClient))
        #expect(
            gate.publish(9, "parley/v1/up/alice/phone/messages/send", now: Self.now + 60) == .denied(.unknownClient))
        #expect(gate.expire(now: Self.now + 60) == ["alice:phone"])
        #expect(gate.expire(now: Self.now + 61) == [])
        gate.connect(.intake, on: 2)
        #expect(gate.drainCounts()?.tokensExpired == 1)
    }

    @Test("an end that is moved nearer is seen")
    func nearerExpiry() throws {
        let token = TokenID.random()
        var gate = try gate(token: token)
        try signIn(&gate, 9, token)
        #expect(gate.expire(now: Self.now) == [])
        _ = gate.handle(.device(Self.phone, Self.status(token, expiresIn: 5)))
        #expect(gate.expire(now: Self.now + 4) == [])
        #expect(gate.expire(now: Self.now + 5) == ["alice:phone"])
    }
}

// MARK: Wills and stored sessions

extension AccessGateTests {
    @Test("a will is refused after its connection ended, and after another took its client id over")
    func wills() throws {
        let token = TokenID.random()
        var gate = try gate(token: token)
        let own = "parley/v1/up/alice/phone/messages/send"
        try signIn(&gate, 9, token)
        #expect(gate.publish(9, own) == .allowed)
        try signIn(&gate, 10, token)
        #expect(gate.publish(9, own) == .denied(.unknownClient))
        gate.disconnect(ConnectionKey(9))
        #expect(gate.publish(10, own) == .allowed)
        gate.disconnect(ConnectionKey(10))
        #expect(gate.publish(10, own) == .denied(.unknownClient))
    }

    @Test("the gateway's will is let through, until the broker's record is somebody else's")
    func gatewayWill() throws {
        let token = TokenID.random()
        var gate = try gate(token: token)
        gate.disconnect(Self.outKey)
        #expect(gate.publish(1, "parley/v1/gateway/status", retain: true) == .allowed)
        try signIn(&gate, 1, token)
        #expect(gate.publish(1, "parley/v1/gateway/status") == .denied(.foreignTopic))
        _ = gate.signIn("alice:phone", "alice", claims(.random()), on: ConnectionKey(1))
        #expect(gate.publish(1, "parley/v1/up/alice/phone/messages/send") == .denied(.unknownClient))
    }

    @Test("a stored session that never signed in is judged by its client id and the facts")
    func storedSessions() throws {
        var gate = try gate(token: .random())
        #expect(gate.receive(50, "alice:phone", topic) == .allowed)
        #expect(gate.receive(50, "alice:tablet", topic) == .denied(.unknownClient))
        #expect(gate.receive(50, "alice:phone:cli", topic) == .denied(.unknownClient))
        #expect(gate.receive(50, "mallory", topic) == .denied(.unknownClient))
        #expect(gate.receive(50, "", topic) == .denied(.unknownClient))
        #expect(gate.receive(50, "parley/intake", "parley/v1/up/alice/phone/messages/send") == .allowed)
        _ = gate.handle(.conversation(cid, members: []))
        #expect(gate.receive(50, "alice:phone", topic) == .denied(.foreignTopic))
        _ = gate.handle(.conversation(cid, members: [Self.phone.user]), .deviceEnded(Self.phone))
        #expect(gate.receive(50, "alice:phone", topic) == .denied(.unknownClient))
    }

    @Test("nobody publishes or subscribes without having signed in, whatever the client id")
    func strangers() throws {
        var gate = try gate(token: .random())
        #expect(gate.publish(50, "parley/v1/up/alice/phone/messages/send") == .denied(.unknownClient))
        #expect(gate.subscribe(50, topic) == .denied(.unknownClient))
    }

    @Test("subscribing goes by the facts of the moment")
    func subscribing() throws {
        let token = TokenID.random()
        var gate = try gate(token: token)
        try signIn(&gate, 9, token)
        #expect(gate.subscribe(9, topic) == .allowed)
        #expect(gate.subscribe(1, "#") == .allowed)
        _ = gate.handle(.conversationEnded(cid))
        #expect(gate.subscribe(9, topic) == .denied(.foreignTopic))
    }
}

// MARK: In short

extension AccessGate {
    mutating func signIn(
        _ clientID: String, _ username: String, _ claims: AccessToken.Claims, on key: ConnectionKey,
        from origin: ClientOrigin = .unixSocket, cleanStart: Bool = true, protocolVersion: Int = 5
    ) -> SignInDecision {
        let token = CompactToken.assemble(
            signingInput: AccessToken.signingInput(for: claims), signature: [UInt8](repeating: 0, count: 64))
        let attempt = SignInAttempt(
            clientID: Array(clientID.utf8), username: Array(username.utf8), password: token, origin: origin,
            cleanStart: cleanStart, protocolVersion: protocolVersion)
        return signIn(attempt, on: key, now: AccessGate.now) { _ in true }
    }

    mutating func handle(_ changes: AudienceChange...) -> AudienceOutcome? { handle(changes) }

    mutating func handle(_ changes: [AudienceChange]) -> AudienceOutcome? {
        handle(AudienceCodec.messages(for: changes)[0], from: AccessGateTests.outKey)
    }

    mutating func publish(
        _ key: UInt, _ topic: String, payloadLength: Int = 0, retain: Bool = false, now: Int64 = AccessGate.now
    ) -> AccessDecision {
        let bytes = Array(topic.utf8)
        return publish(
            ConnectionKey(key), topic: bytes.span, payloadLength: payloadLength, qos: 1, retain: retain, now: now)
    }

    mutating func subscribe(_ key: UInt, _ filter: String, held: Int = 1) -> AccessDecision {
        let bytes = Array(filter.utf8)
        return subscribe(ConnectionKey(key), filter: bytes.span, held: held, now: AccessGate.now)
    }

    mutating func unsubscribe(_ key: UInt, _ filter: String) -> AccessDecision {
        let bytes = Array(filter.utf8)
        return unsubscribe(ConnectionKey(key), filter: bytes.span, now: AccessGate.now)
    }

    mutating func receive(
        _ key: UInt, _ clientID: String, _ topic: String, payloadLength: Int = 0, qos: UInt8 = 1,
        now: Int64 = AccessGate.now
    ) -> AccessDecision {
        let (id, bytes) = (Array(clientID.utf8), Array(topic.utf8))
        let payload = [UInt8](repeating: 0x20, count: payloadLength)
        return receive(
            ConnectionKey(key), clientID: id.span, topic: bytes.span, payload: payload.span, qos: qos, now: now)
    }
}
