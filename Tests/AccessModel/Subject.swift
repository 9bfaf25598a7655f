import AccessOracle
import ParleyProtocol
import ParleyRules

/// The plugin's own functions, asked as the broker asks them.
package struct Subject: Sendable {
    private var gate = AccessGate()
    private var keys: [ClientName: ConnectionKey] = [:]
    private var nextKey: UInt = 2
    private var version: UInt64 = 0
    private let bounds: Facts.Bounds
    private let fault: Fault

    private static let gatewayKey = ConnectionKey(1)

    package init(_ facts: Facts, fault: Fault = .none) {
        bounds = facts.bounds
        self.fault = fault
        let claims = GatewayConnection.out.claims(id: .random(), expiresAt: Int64(facts.now) + 60)
        _ = gate.signIn(
            SignInAttempt(
                clientID: Array(GatewayConnection.out.clientID.utf8), username: Array(GatewayConnection.username.utf8),
                password: Self.password(claims, isSigned: true), origin: .unixSocket, cleanStart: true),
            on: Self.gatewayKey, now: Int64(facts.now), isSigned: Self.isSigned)
    }
}

// MARK: What happens

extension Subject {
    /// - Parameter facts: as they are after the event.
    package mutating func apply(_ event: Event, _ facts: Facts) {
        guard let event = fault.event(event) else { return }
        switch event {
        case .told:
            version += 1
            tell([.begin(version: version), .limits(limits)] + everything(facts) + [.ready(version: version)], always: true)
        case .lost: end(gate.take([0xFF], from: Self.gatewayKey))
        case .issued(let device, _, _, _): tell(change(device, facts, endsSessions: true))
        case .renewed(let device, _, _): tell(change(device, facts, endsSessions: false))
        case .revoked(let device): tell([.deviceEnded(device.address)])
        case .conversation(let id, let members, let isSilent):
            tell([.conversation(conversation(id), members: users(members), isSilent: isSilent)])
        case .conversationEnded(let id): tell([.conversationEnded(conversation(id))])
        case .befriended(let one, let other):
            if one != other { tell([.friends(UserID(validated: one), UserID(validated: other))]) }
        case .parted(let one, let other): tell([.friendsEnded(UserID(validated: one), UserID(validated: other))])
        case .passed:
            for clientID in gate.expire(now: time(facts)) { drop(clientID) }
        case .connected: break
        case .disconnected(let client):
            if let key = keys.removeValue(forKey: client) { gate.disconnected(key) }
        }
    }

    /// A CONNECT, and what it comes to.
    package mutating func signIn(_ attempt: Attempt, _ facts: Facts) -> Admission {
        let key = ConnectionKey(nextKey)
        nextKey += 1
        let decision = gate.signIn(fault.attempt(attempt).asPlugin, on: key, now: time(facts), isSigned: Self.isSigned)
        switch decision {
        case .admitted:
            if let client = ClientName(attempt.clientID) { keys[client] = key }
            return .admitted
        case .refused: return .refused
        case .notReady, .turnedAway: return .turnedAway
        }
    }

    package mutating func allows(_ question: Question, _ facts: Facts) -> Bool {
        let key = keys[question.client] ?? ConnectionKey(0)
        let now = time(facts)
        switch fault.question(question) {
        case .subscribe(_, let filter):
            let bytes = Array(filter.utf8)
            return gate.subscribe(key, filter: bytes.span, now: now).isAllowed
        case .publish(_, let topic, let qos, let retain):
            let bytes = Array(topic.utf8)
            return gate.publish(key, topic: bytes.span, bytes: 2, qos: UInt8(qos), retain: retain, now: now).isAllowed
        case .receive(let client, let topic):
            let (bytes, clientID) = (Array(topic.utf8), Array("\(client)".utf8))
            return gate.receive(key, clientID: clientID.span, topic: bytes.span, now: now).isAllowed
        }
    }
}

// MARK: Telling the plugin

extension Subject {
    /// Without a snapshot in force the gateway tells nothing but a snapshot.
    private mutating func tell(_ changes: [AudienceChange], always: Bool = false) {
        guard always || gate.isReady else { return }
        for message in AudienceCodec.messages(for: changes) { end(gate.take(message, from: Self.gatewayKey)) }
    }

    private func time(_ facts: Facts) -> Int64 { Int64(facts.now - fault.delay) }

    private mutating func end(_ outcome: AudienceOutcome?) {
        for clientID in outcome?.ended ?? [] { drop(clientID) }
    }

    /// The broker ends a connection, and says that it has ended.
    private mutating func drop(_ clientID: String) {
        guard let client = ClientName(clientID), let key = keys.removeValue(forKey: client) else { return }
        gate.disconnected(key)
    }

    private func everything(_ facts: Facts) -> [AudienceChange] {
        facts.devices.keys.flatMap { change($0, facts, endsSessions: true) }
            + facts.conversations.map {
                .conversation(conversation($0), members: users($1.members), isSilent: $1.isSilent)
            }
            + facts.friends.compactMap { pair in
                let pair = pair.map { UserID(validated: $0) }
                return pair.count == 2 ? .friends(pair[0], pair[1]) : nil
            }
    }

    private func change(_ device: Device, _ facts: Facts, endsSessions: Bool) -> [AudienceChange] {
        guard let standing = facts.devices[device] else { return [] }
        return [
            .device(
                device.address,
                DeviceStanding(
                    token: token(standing.token), expiresAt: Int64(standing.endsAt), isOperator: standing.isOperator),
                endsSessions: endsSessions)
        ]
    }

    /// Few connections, and nobody so quick as to meet another limit.
    private var limits: BrokerLimits {
        var limits = BrokerLimits()
        limits.connections = bounds.ofAll
        limits.connectionsPerDevice = bounds.ofDevice
        limits.connectionsPerUser = bounds.ofUser
        limits.connectionNamesPerDay = bounds.namesOfDevice
        limits.publishBurst = 1_000_000
        limits.publishBurstBytes = 1 << 40
        limits.subscribeBurst = 1_000_000
        limits.replyFilters = 1_000_000
        fault.limits(&limits)
        return limits
    }

    private func conversation(_ id: String) -> ConversationID { ConversationID(parsing: id) ?? .random() }

    private func users(_ names: Set<String>) -> [UserID] { names.map { UserID(validated: $0) } }
}

extension Device {
    var address: DeviceAddress { DeviceAddress(user: UserID(validated: user), device: DeviceID(validated: id)) }
}

func token(_ number: Int) -> TokenID { TokenID(UUIDValue(high: 0, low: UInt64(number))) }

// MARK: Tokens

extension Subject {
    private static let rightSignature = [UInt8](repeating: 7, count: 64)

    private static func isSigned(_ token: AccessToken) -> Bool { token.signature == rightSignature }

    fileprivate static func password(_ claims: AccessToken.Claims, isSigned: Bool) -> [UInt8] {
        AccessToken.assemble(
            signingInput: AccessToken.signingInput(for: claims),
            signature: isSigned ? rightSignature : [UInt8](repeating: 0, count: 64))
    }
}

extension Attempt {
    fileprivate var asPlugin: SignInAttempt {
        SignInAttempt(
            clientID: Array(clientID.utf8), username: Array(username.utf8), password: token.password,
            origin: origin.asPlugin, cleanStart: isClean, protocolVersion: version.rawValue)
    }
}

extension Attempt.Origin {
    fileprivate var asPlugin: ClientOrigin {
        let address =
            switch self {
            case .unixSocket: "run/broker.sock"
            case .loopback, .webSocket: "127.0.0.1"
            case .elsewhere: "192.0.2.7"
            }
        return ClientOrigin(address: Array(address.utf8).span, isWebSocket: self == .webSocket)
    }
}

extension ShownToken {
    fileprivate var password: [UInt8] {
        let role: AccessToken.Role =
            switch role {
            case .device: .device
            case .operator: .operator
            case .gateway: .gateway
            }
        let claims = AccessToken.Claims(
            user: device.address.user, device: device.address.device, expiresAt: Int64(endsAt), id: AccessModel.token(number),
            role: role)
        let whole = Subject.password(claims, isSigned: shape != .forged)
        return switch shape {
        case .whole, .forged: whole
        case .none: []
        case .cut: Array(whole.dropLast(9))
        case .trailed: whole + [0, 0x41]
        }
    }
}
