import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Who may sign in")
struct SignInTests {
    static let now: Int64 = 1_768_469_400
    static let current = TokenID(UUIDValue(high: 1, low: 1))
    static let user = UserID(validated: "alice")
    static let phone = DeviceAddress(user: user, device: DeviceID(validated: "phone"))

    static func audiences(
        token: TokenID = current, expiresAt: Int64 = now + 60, role: DeviceRole = .device
    ) -> Audiences {
        var audiences = Audiences()
        audiences.set(DeviceStatus(token: token, expiresAt: expiresAt, role: role), for: phone)
        return audiences
    }

    static func claims(
        user: String = "alice", device: String = "phone", expiresAt: Int64 = now + 60, id: TokenID = current,
        role: AccessToken.Role = .device
    ) -> AccessToken.Claims {
        AccessToken.Claims(
            user: UserID(validated: user), device: DeviceID(validated: device), expiresAt: expiresAt, id: id, role: role
        )
    }

    static func decide(
        clientID: String = "alice:phone", username: String = "alice", claims: AccessToken.Claims = claims(),
        password: String? = nil, origin: ClientOrigin = .elsewhere,
        cleanStart: Bool = false,
        audiences: Audiences? = audiences(), operatorListeners: OperatorListeners = .any, isSigned: Bool = true
    ) -> SignInDecision {
        let token = CompactToken.assemble(
            signingInput: AccessToken.signingInput(for: claims), signature: [UInt8](repeating: 0, count: 64))
        let attempt = SignInAttempt(
            clientID: Array(clientID.utf8), username: Array(username.utf8),
            password: password.map { Array($0.utf8) } ?? token, origin: origin,
            cleanStart: cleanStart)
        return attempt.decide(audiences: audiences, operatorListeners: operatorListeners, now: now) { _ in isSigned }
    }

    @Test("a device signs in with the token that its status names")
    func device() throws {
        let id = try #require(ClientID(address: Self.phone))
        #expect(Self.decide() == .admitted(.device(id)))
    }

    @Test("an operator's token is for a device that is an operator's, and no other")
    func operators() throws {
        let id = try #require(ClientID(address: Self.phone))
        let claims = Self.claims(role: .operator)
        #expect(Self.decide(claims: claims, audiences: Self.audiences(role: .operator)) == .admitted(.device(id)))
        #expect(Self.decide(claims: claims) == .refused(.revoked))
        #expect(Self.decide(audiences: Self.audiences(role: .operator)) == .refused(.revoked))
    }

    @Test("an operator's token signs in on the listeners that the option names, a device's on all")
    func operatorListeners() {
        let cases: [(OperatorListeners, Set<ClientOrigin>)] = [
            (.unixSocket, [.unixSocket]), (.loopback, [.unixSocket, .loopback]),
            (.any, [.unixSocket, .loopback, .elsewhere]),
        ]
        for (listeners, origins) in cases {
            for origin in [ClientOrigin.unixSocket, .loopback, .elsewhere] {
                let decision = Self.decide(
                    claims: Self.claims(role: .operator), origin: origin,
                    audiences: Self.audiences(role: .operator), operatorListeners: listeners)
                #expect(decision.isAdmitted == origins.contains(origin))
                #expect(decision.isAdmitted || decision == .refused(.operatorNotLocal))
                #expect(Self.decide(origin: origin, operatorListeners: listeners).isAdmitted)
            }
        }
    }

    @Test("a door's token is for a door, and signs in where an operator's does")
    func doors() {
        let audiences = Self.audiences(role: .door)
        for origin in [ClientOrigin.unixSocket, .loopback, .elsewhere] {
            let decision = Self.decide(
                claims: Self.claims(role: .door), origin: origin, audiences: audiences, operatorListeners: .loopback)
            #expect(decision.isAdmitted == (origin != .elsewhere))
            #expect(decision.isAdmitted || decision == .refused(.doorNotLocal))
        }
        #expect(Self.decide(audiences: audiences) == .refused(.revoked))
        #expect(Self.decide(claims: Self.claims(role: .operator), audiences: audiences) == .refused(.revoked))
        #expect(Self.decide(claims: Self.claims(role: .door)) == .refused(.revoked))
    }

    @Test("a client's origin is told from its address; a WebSocket's is elsewhere whatever it says")
    func origins() {
        let cases: [(String, ClientOrigin)] = [
            ("run/broker.sock", .unixSocket), ("/tmp/x", .unixSocket), ("127.0.0.1", .loopback),
            ("127.1.2.3", .loopback), ("::1", .loopback), ("::ffff:127.0.0.1", .loopback), ("::1234", .elsewhere),
            ("10.127.0.1", .elsewhere), ("1270.0.0.1", .elsewhere), ("192.0.2.1", .elsewhere), ("", .elsewhere),
        ]
        for (address, origin) in cases {
            let bytes = Array(address.utf8)
            #expect(ClientOrigin(address: bytes.span, isWebSocket: false) == origin, "\(address)")
            #expect(ClientOrigin(address: bytes.span, isWebSocket: true) == .elsewhere)
        }
    }

    @Test("a further connection signs in with clean start only")
    func furtherConnection() throws {
        let id = try #require(ClientID(address: Self.phone, connection: "cli"))
        #expect(Self.decide(clientID: "alice:phone:cli", cleanStart: true) == .admitted(.device(id)))
        #expect(Self.decide(clientID: "alice:phone:cli", cleanStart: false) == .refused(.sessionKept))
    }

    @Test(
        "a client id that is not one of the forms is refused",
        arguments: [
            "", "alice", "alice:", ":phone", "alice:phone:", "alice:phone:a:b", "alice/phone", "al ice:phone",
            "alice:phone:seventeen-letters", "alice:phone\u{0}", "parley/other", "parley/", "parley/intake/x",
        ])
    func clientIDs(clientID: String) {
        #expect(Self.decide(clientID: clientID, cleanStart: true) == .refused(.clientID))
    }

    @Test("name, token and status must be of one device")
    func mismatches() {
        #expect(Self.decide(username: "bob") == .refused(.username))
        #expect(Self.decide(username: "") == .refused(.username))
        #expect(Self.decide(username: "alice ") == .refused(.username))
        #expect(Self.decide(clientID: "bob:phone") == .refused(.username))
        #expect(Self.decide(clientID: "bob:phone", username: "bob") == .refused(.foreignToken))
        #expect(Self.decide(clientID: "alice:tablet") == .refused(.foreignToken))
        #expect(Self.decide(claims: Self.claims(user: "bob")) == .refused(.foreignToken))
        #expect(Self.decide(claims: Self.claims(device: "tablet")) == .refused(.foreignToken))
        #expect(Self.decide(claims: Self.claims(role: .gateway)) == .refused(.foreignToken))
    }

    @Test("a bad signature, an end that has come and another token are refused")
    func badTokens() {
        #expect(Self.decide(isSigned: false) == .refused(.token))
        #expect(Self.decide(password: "") == .refused(.token))
        #expect(Self.decide(password: "password") == .refused(.token))
        #expect(Self.decide(claims: Self.claims(expiresAt: Self.now)) == .refused(.expired))
        #expect(Self.decide(claims: Self.claims(expiresAt: 0)) == .refused(.expired))
        #expect(Self.decide(audiences: Self.audiences(expiresAt: Self.now)) == .refused(.expired))
        #expect(Self.decide(claims: Self.claims(id: .random())) == .refused(.revoked))
        #expect(Self.decide(audiences: Audiences()) == .refused(.revoked))
    }

    @Test("without a snapshot no device gets a verdict, not even on a bad token")
    func notReady() {
        #expect(Self.decide(audiences: nil) == .notReady)
        #expect(Self.decide(password: "", audiences: nil) == .notReady)
        #expect(Self.decide(clientID: "", audiences: nil) == .notReady)
    }

    @Test("the gateway signs in before the snapshot, on the local listener only", arguments: GatewayConnection.allCases)
    func gateway(connection: GatewayConnection) {
        func decide(
            username: String = GatewayConnection.username, claims: AccessToken.Claims? = nil,
            origin: ClientOrigin = .unixSocket,
            isSigned: Bool = true
        ) -> SignInDecision {
            Self.decide(
                clientID: connection.clientID, username: username,
                claims: claims ?? connection.claims(id: .random(), expiresAt: Self.now + 60), origin: origin,
                audiences: nil, isSigned: isSigned)
        }
        let name = connection.rawValue
        #expect(decide() == .admitted(.gateway(connection)))
        for origin in [ClientOrigin.loopback, .elsewhere] { #expect(decide(origin: origin) == .refused(.notLocal)) }
        #expect(decide(username: "gateway") == .refused(.username))
        #expect(decide(isSigned: false) == .refused(.token))
        #expect(decide(claims: connection.claims(id: .random(), expiresAt: Self.now)) == .refused(.expired))
        for role in [AccessToken.Role.device, .operator, .door] {
            let claims = Self.claims(user: "gateway", device: name, role: role)
            #expect(decide(claims: claims) == .refused(.foreignToken))
        }
        #expect(decide(claims: Self.claims(role: .gateway)) == .refused(.foreignToken))
        for other in GatewayConnection.allCases where other != connection {
            let claims = other.claims(id: .random(), expiresAt: Self.now + 60)
            #expect(decide(claims: claims) == .refused(.foreignToken))
        }
    }

    @Test("a device whose ids spell the gateway's is a device")
    func gatewayLookalike() {
        #expect(
            Self.decide(
                clientID: "gateway:out", username: "gateway", claims: Self.claims(user: "gateway", device: "out"))
                == .refused(.revoked))
        #expect(
            Self.decide(
                clientID: "gateway:out", username: "gateway",
                claims: Self.claims(user: "gateway", device: "out", role: .gateway), origin: .unixSocket)
                == .refused(.foreignToken))
    }
}

extension SignInDecision {
    var isAdmitted: Bool {
        switch self {
        case .admitted: true
        case .refused, .notReady, .turnedAway, .removing: false
        }
    }
}
