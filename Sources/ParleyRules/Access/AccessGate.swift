import ParleyProtocol

/// All that the broker's plugin knows and decides, as a value: the plugin asks, and carries out what is answered.
///
/// Times are seconds since 1970. Client ids, topics and messages are bytes from outside; none of them can make this
/// trap. Without a snapshot in force only the gateway has rights.
package struct AccessGate: Sendable {
    private var feed = AudienceFeed()
    private var connections = Connections()
    private var succession = TokenSuccession()
    private var resumption = Resumption()
    /// No session ends before this moment.
    private var earliestExpiry = Int64.max
    /// When the gateway is to be told of everybody who is connected, and not of changes alone.
    private var everyoneDueAt = Int64.min
    /// When the gateway is to be told again of every token that has succeeded another and that it has not noted.
    private var successionDueAt = Int64.min

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
        resumption.end()
        connections.forget(key)
        let decision = attempt.decide(
            audiences: feed.audiences, operatorListeners: operatorListeners, now: now, isSigned: isSigned)
        switch decision {
        case .admitted(.gateway(let connection)):
            connections.open(key, gateway: connection)
            everyoneDueAt = .min
            successionDueAt = .min
        case .admitted(.device(let id)):
            guard let standing = feed.audiences?.standing(of: id.address), let token = attempt.tokenID else {
                return .notReady
            }
            if token == standing.token {
                succession.signedIn(id.address, standing)
                feed.set(standing.withoutPrevious, for: id.address)
            }
            connections.open(key, device: id, token: token, standing: standing)
            resumption.begin(key, id, standing)
            earliestExpiry = min(earliestExpiry, standing.end(of: token) ?? .min)
        case .refused, .notReady: break
        }
        return decision
    }

    package mutating func disconnected(_ key: ConnectionKey) {
        resumption.disconnected(key)
        connections.close(key)
    }

    /// The client ids of the connections that can hear nothing any more and must be made anew.
    package mutating func takeExhausted() -> [String] { resumption.takeExhausted() }

    /// The client ids of the connections that end now because their tokens have. Cheap while none has.
    package mutating func expire(now: Int64) -> [String] {
        guard now >= earliestExpiry else { return [] }
        var earliest = Int64.max
        let ended = connections.end { device in
            let end = device.standing.end(of: device.token) ?? .min
            if now < end { earliest = min(earliest, end) }
            return now >= end
        }
        earliestExpiry = earliest
        return ended
    }
}

// MARK: Presence

extension AccessGate {
    /// How often the gateway is told of everything although nothing asks for it, in seconds: a report that the broker's
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

// MARK: Tokens

extension AccessGate {
    /// The new tokens that have signed in while the ones before were still good, of which the gateway is to be told.
    ///
    /// Nothing while no snapshot is in force or the gateway's `intake` is away; then all that it has not noted, and again
    /// once in ten minutes.
    package mutating func takeTokenUses(now: Int64) -> [TokenUse] {
        let news = succession.takeNews()
        guard isReady, connections.isConnected(.intake) else {
            successionDueAt = .min
            return []
        }
        guard now >= successionDueAt else { return news }
        successionDueAt = now + AccessGate.everyoneInterval
        return succession.everyone
    }
}

// MARK: Rights

extension AccessGate {
    /// PUBLISH, and a will that fires.
    package mutating func publish(
        _ key: ConnectionKey, topic: Span<UInt8>, qos: UInt8, retain: Bool, now: Int64
    ) -> AccessDecision {
        resumption.end()
        guard let device = connections.device(key) else {
            return connections.isGateway(key) ? .allowed : .denied(.unknownClient)
        }
        guard isReady else { return .denied(.notReady) }
        guard let bearer = Bearer(device, now: now) else { return .denied(.unknownClient) }
        return AccessPolicy.publish(bearer, topic: topic, qos: qos, retain: retain)
    }

    /// SUBSCRIBE, with the filter as the client sent it.
    package mutating func subscribe(_ key: ConnectionKey, filter: Span<UInt8>, now: Int64) -> AccessDecision {
        resumption.end()
        guard let device = connections.device(key) else {
            return connections.isGateway(key) ? .allowed : .denied(.unknownClient)
        }
        guard let audiences = feed.audiences else { return .denied(.notReady) }
        guard let bearer = Bearer(device, now: now) else { return .denied(.unknownClient) }
        return AccessPolicy.subscribe(bearer, filter: filter, audiences: audiences)
    }

    /// A delivery, to a client that is connected or to the stored session of one that may never have signed in since
    /// the broker started, which its client id alone names.
    package mutating func receive(
        _ key: ConnectionKey, clientID: Span<UInt8>, topic: Span<UInt8>, payload: Span<UInt8>, now: Int64
    ) -> AccessDecision {
        let decision =
            resumption.refuses(key)
            ? .denied(.anotherDevice) : judge(key, clientID: clientID, topic: topic, payload: payload, now: now)
        if !decision.isAllowed { resumption.refused(key) }
        return decision
    }

    private func judge(
        _ key: ConnectionKey, clientID: Span<UInt8>, topic: Span<UInt8>, payload: Span<UInt8>, now: Int64
    ) -> AccessDecision {
        guard let device = connections.device(key) else {
            return receive(storedSessionOf: clientID, topic: topic, payload: payload, now: now)
        }
        guard let audiences = feed.audiences else { return .denied(.notReady) }
        guard let bearer = Bearer(device, now: now) else { return .denied(.unknownClient) }
        return AccessPolicy.receive(bearer, topic: topic, payload: payload, audiences: audiences)
    }

    private func receive(
        storedSessionOf clientID: Span<UInt8>, topic: Span<UInt8>, payload: Span<UInt8>, now: Int64
    ) -> AccessDecision {
        switch Client(clientID: clientID) {
        case .gateway: return .allowed
        case .device(let id):
            guard let audiences = feed.audiences else { return .denied(.notReady) }
            // A further connection of a device keeps nothing for later.
            guard id.connection == nil, let standing = audiences.standing(of: id.address),
                let bearer = Bearer(id.address, standing, token: standing.token, now: now)
            else { return .denied(.unknownClient) }
            guard resumption.isCleared(id.address, standing) else { return .denied(.anotherDevice) }
            return AccessPolicy.receive(bearer, topic: topic, payload: payload, audiences: audiences)
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
        resumption.end()
        guard connections.isGateway(key) else { return nil }
        var outcome = AudienceOutcome()
        do {
            for change in try AudienceCodec.changes(in: message) { try take(change, &outcome) }
        } catch {
            feed.fail()
            outcome.ended += connections.end { _ in true }
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
            for address in connections.addresses {
                if let standing = audiences.standing(of: address) {
                    outcome.ended += update(address, standing)
                } else {
                    outcome.ended += connections.end(address)
                }
            }
            succession.keep { audiences.standing(of: $0) != nil }
            for successor in succession.everyone {
                if let standing = audiences.standing(of: successor.device) { _ = update(successor.device, standing) }
            }
            resumption.keep { audiences.standing(of: $0) != nil }
            outcome.answer = .ready(version: version)
            everyoneDueAt = .min
            successionDueAt = .min
        case .applied:
            switch change {
            case .device(let address, let standing):
                outcome.ended += update(address, standing)
            case .deviceEnded(let address):
                outcome.ended += connections.end(address)
                succession.forget(address)
                resumption.forget(address)
            case .begin, .limits, .ready, .conversation, .conversationEnded, .friends, .friendsEnded: break
            }
        }
    }

    /// The device stands so, as far as the gateway knows.
    ///
    /// - Returns: the client ids of the connections that end by it.
    private mutating func update(_ address: DeviceAddress, _ standing: DeviceStanding) -> [String] {
        let adjusted = succession.adjusted(standing, of: address)
        if adjusted != standing { feed.set(adjusted, for: address) }
        earliestExpiry = min(earliestExpiry, adjusted.previous?.endsAt ?? .max, adjusted.expiresAt)
        return connections.update(address, adjusted)
    }
}
