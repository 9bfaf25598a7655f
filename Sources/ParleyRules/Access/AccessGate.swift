import ParleyProtocol

/// All that the broker's plugin knows and decides, as a value: the plugin asks, and carries out what is answered.
///
/// Times are seconds since 1970. Client ids, topics and messages are bytes from outside; none of them can make this
/// trap. Without a snapshot in force only the gateway has rights.
package struct AccessGate: Sendable {
    private var feed = AudienceFeed()
    private var connections = Connections()
    /// No session ends before this moment.
    private var earliestExpiry = Int64.max
    /// When the gateway is to be told of everybody who is connected, and not of changes alone.
    private var everyoneDueAt = Int64.min

    /// Where operators may sign in from.
    private let operatorListeners: OperatorListeners

    package init(operatorListeners: OperatorListeners = .unixSocket) { self.operatorListeners = operatorListeners }

    /// Whether a snapshot is in force.
    package var isReady: Bool { feed.audiences != nil }
}

// MARK: Connections

extension AccessGate {
    /// CONNECT. Who is admitted is known by `key` from now on.
    package mutating func signIn(
        _ attempt: SignInAttempt, on key: ConnectionKey, now: Int64, isSigned: (AccessToken) -> Bool
    ) -> SignInDecision {
        connections.forget(key)
        let decision = attempt.decide(
            audiences: feed.audiences, operatorListeners: operatorListeners, now: now, isSigned: isSigned)
        switch decision {
        case .admitted(.gateway(let connection)):
            connections.open(key, gateway: connection)
            everyoneDueAt = .min
        case .admitted(.device(let id)):
            guard let standing = feed.audiences?.standing(of: id.address) else { return .notReady }
            connections.open(key, device: id, standing: standing)
            earliestExpiry = min(earliestExpiry, standing.expiresAt)
        case .refused, .notReady: break
        }
        return decision
    }

    package mutating func disconnected(_ key: ConnectionKey) { connections.close(key) }

    /// The client ids of the connections that end now because their tokens have. Cheap while none has.
    package mutating func expire(now: Int64) -> [String] {
        guard now >= earliestExpiry else { return [] }
        var earliest = Int64.max
        let ended = connections.end { _, standing in
            if now < standing.expiresAt { earliest = min(earliest, standing.expiresAt) }
            return now >= standing.expiresAt
        }
        earliestExpiry = earliest
        return ended
    }
}

// MARK: Presence

extension AccessGate {
    /// How often the gateway is told of everybody although nothing asks for it, in seconds: a report that the broker's
    /// queue had no room for does not stay lost.
    private static let everyoneInterval: Int64 = 600

    /// What the gateway is to be told of who is connected, since this was last asked.
    ///
    /// Nothing while no snapshot is in force or its `intake` is away; then everybody, once both are there again.
    ///
    /// - Parameter broker: names this run of the broker.
    package mutating func takePresence(broker: UInt64, now: Int64) -> [PresenceReport] {
        let news = connections.users.takeNews()
        guard isReady, connections.isConnected(.intake) else {
            everyoneDueAt = .min
            return []
        }
        guard now >= everyoneDueAt else { return news }
        everyoneDueAt = now + AccessGate.everyoneInterval
        return PresenceReport.set(of: connections.users.everyone, broker: broker)
    }
}

// MARK: Rights

extension AccessGate {
    /// PUBLISH, and a will that fires.
    package func publish(
        _ key: ConnectionKey, topic: Span<UInt8>, qos: UInt8, retain: Bool, now: Int64
    ) -> AccessDecision {
        guard let (address, standing) = connections.device(key) else {
            return connections.isGateway(key) ? .allowed : .denied(.unknownClient)
        }
        guard isReady else { return .denied(.notReady) }
        guard let bearer = Bearer(address, standing, now: now) else { return .denied(.unknownClient) }
        return AccessPolicy.publish(bearer, topic: topic, qos: qos, retain: retain)
    }

    /// SUBSCRIBE, with the filter as the client sent it.
    package func subscribe(_ key: ConnectionKey, filter: Span<UInt8>, now: Int64) -> AccessDecision {
        guard let (address, standing) = connections.device(key) else {
            return connections.isGateway(key) ? .allowed : .denied(.unknownClient)
        }
        guard let audiences = feed.audiences else { return .denied(.notReady) }
        guard let bearer = Bearer(address, standing, now: now) else { return .denied(.unknownClient) }
        return AccessPolicy.subscribe(bearer, filter: filter, audiences: audiences)
    }

    /// A delivery, to a client that is connected or to the stored session of one that may never have signed in since
    /// the broker started, which its client id alone names.
    package func receive(
        _ key: ConnectionKey, clientID: Span<UInt8>, topic: Span<UInt8>, now: Int64
    ) -> AccessDecision {
        guard let (address, standing) = connections.device(key) else {
            return receive(storedSessionOf: clientID, topic: topic, now: now)
        }
        guard let audiences = feed.audiences else { return .denied(.notReady) }
        guard let bearer = Bearer(address, standing, now: now) else { return .denied(.unknownClient) }
        return AccessPolicy.receive(bearer, topic: topic, audiences: audiences)
    }

    private func receive(storedSessionOf clientID: Span<UInt8>, topic: Span<UInt8>, now: Int64) -> AccessDecision {
        switch Client(clientID: clientID) {
        case .gateway: return .allowed
        case .device(let id):
            guard let audiences = feed.audiences else { return .denied(.notReady) }
            // A further connection of a device keeps nothing for later.
            guard id.connection == nil, let standing = audiences.standing(of: id.address),
                let bearer = Bearer(id.address, standing, now: now)
            else { return .denied(.unknownClient) }
            return AccessPolicy.receive(bearer, topic: topic, audiences: audiences)
        case nil: return .denied(.unknownClient)
        }
    }
}

// MARK: Changes

/// What the plugin is to do after a message of changes.
package struct AudienceOutcome: Hashable, Sendable {
    /// The client ids of the connections that end now.
    package var ended: [String]
    /// What is answered to the gateway, if anything.
    package var answer: AudienceAnswer?

    package init(ended: [String] = [], answer: AudienceAnswer? = nil) {
        self.ended = ended
        self.answer = answer
    }
}

extension AccessGate {
    /// A message to `AudienceChange.topic`; `nil` if it is not the gateway's.
    ///
    /// A message that cannot be taken shuts the devices out until there is a new snapshot, and ends their
    /// connections: what they would miss meanwhile they learn by connecting again.
    package mutating func take(_ message: [UInt8], from key: ConnectionKey) -> AudienceOutcome? {
        guard connections.isGateway(key) else { return nil }
        var outcome = AudienceOutcome()
        do {
            for change in try AudienceCodec.changes(in: message) { try take(change, &outcome) }
        } catch {
            feed.fail()
            outcome.ended += connections.end { _, _ in true }
            outcome.answer = .snapshotNeeded(error)
        }
        return outcome
    }

    private mutating func take(
        _ change: AudienceChange, _ outcome: inout AudienceOutcome
    ) throws(AudienceRefusal) {
        switch try feed.take(change) {
        case .aside: break
        case .swapped(let version, let audiences):
            outcome.ended += connections.end { audiences.standing(of: $0)?.token != $1.token }
            for address in connections.addresses {
                if let standing = audiences.standing(of: address) { connections.renew(address, standing) }
            }
            outcome.answer = .ready(version: version)
            earliestExpiry = .min
            everyoneDueAt = .min
        case .applied:
            switch change {
            case .device(let address, let standing, let endsSessions):
                if endsSessions { outcome.ended += connections.end(address, otherThan: standing.token) }
                connections.renew(address, standing)
                earliestExpiry = min(earliestExpiry, standing.expiresAt)
            case .deviceEnded(let address):
                outcome.ended += connections.end(address)
            case .begin, .limits, .ready, .conversation, .conversationEnded, .friends, .friendsEnded: break
            }
        }
    }
}
