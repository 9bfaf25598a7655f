import ParleyProtocol

/// All that the broker's plugin knows and decides, as a value: the plugin asks, and carries out what is answered.
///
/// Times are seconds since 1970, but for `uptime`, which limits go by. Client ids, topics and messages are bytes from
/// outside; none of them can make this trap. Without a snapshot in force only the gateway has rights.
package struct AccessGate: Sendable {
    var feed = AudienceFeed()
    var connections = Connections()
    var succession = TokenSuccession()
    var resumption = Resumption()
    var usage = DeviceUsage()
    var away = AwayBudget()
    var filters = HeldFilters()
    var unseen = UnseenBytes()
    var retained = RetainedMessages()
    /// Under which client ids the broker may keep what is to go, and when the gateway is to be asked for it again.
    var removals: Set<ClientID> = []
    var removalsDueAt = Int64.min
    /// Not before, connections are ended for the broker's memory again.
    var slowestDueAt = Int64.min
    /// The devices whose sessions may still be removed where nobody else explains the broker's memory; `nil` while it
    /// is below its mark.
    var unmeasured: [DeviceAddress]?
    /// Not before, such sessions are removed: what the gateway has the broker retain may not all be there yet.
    var unmeasuredDueAt = Int64.min
    /// The connections of devices that have gone on past their limits.
    var excessive: [ConnectionKey: ExcessiveClient.Reason] = [:]
    /// Those of them that have ended since by themselves.
    var endedExcessive: [ExcessiveClient] = []
    var counts = BrokerCounts()
    /// No session ends before this moment.
    var earliestExpiry = Int64.max
    /// When everybody who is connected is to be reported to the gateway, and not changes alone.
    var everyoneDueAt = Int64.min
    /// When every token whose first use the gateway has not recorded is to be reported again.
    var successionDueAt = Int64.min
    /// What was last reported to the gateway, and when the next report may follow.
    var reportedCounts: BrokerCounts?
    var countsDueAt = Int64.min
    /// Nanoseconds of a clock that nobody sets, which limits go by.
    package private(set) var uptime: Int64 = 0

    /// Where operators may sign in from.
    private let operatorListeners: OperatorListeners

    package init(operatorListeners: OperatorListeners = .unixSocket) { self.operatorListeners = operatorListeners }

    /// Whether a snapshot is in force.
    package var isReady: Bool { feed.audiences != nil }

    /// How many devices it remembers what they have used of.
    package var rememberedDevices: Int { usage.count }

    /// What time it is, in nanoseconds of a clock that nobody sets. It does not go back.
    package mutating func advance(to uptime: Int64) { self.uptime = max(self.uptime, uptime) }

    /// What the plugin allows.
    var limits: BrokerLimits { feed.audiences?.limits ?? BrokerLimits() }
}

// MARK: Connections

extension AccessGate {
    /// CONNECT. Who is admitted is known by `key` from now on.
    package mutating func signIn(
        _ attempt: SignInAttempt, on key: ConnectionKey, now: Int64, isSigned: (AccessToken) -> Bool
    ) -> SignInDecision {
        resumption.end()
        excessive[key] = nil
        unseen.end(key)
        if let id = connections.clientID(of: key) { usage.recordEnd(id, uptime: uptime) }
        connections.forget(key)
        if let id = removal(attempt, now: now, isSigned: isSigned) { return .removing(id) }
        // Whoever is turned away in any case is not worth the signature, which is most of what a sign-in costs. All
        // else about the token is right by then, so that the answer says nothing to a stranger.
        var turnedAway: TurnAway?
        var decision = attempt.decide(
            audiences: feed.audiences, operatorListeners: operatorListeners, now: now
        ) { token in
            if let id = ClientID(parsing: attempt.clientID.span) { turnedAway = turnAway(id, from: attempt.origin) }
            return turnedAway == nil && isSigned(token)
        }
        if let turnedAway { decision = .turnedAway(turnedAway) }
        if case .admitted(.device(let id)) = decision, !admit(id, attempt, on: key) { decision = .notReady }
        switch decision {
        case .admitted(.gateway(let connection)):
            connections.open(key, gateway: connection)
            everyoneDueAt = .min
            successionDueAt = .min
            reportedCounts = nil
        case .admitted(.device), .removing: break
        case .refused: counts.refusedSignIns += 1
        case .turnedAway: counts.turnedAway += 1
        case .notReady: counts.notReady += 1
        }
        return decision
    }

    /// A device signs in by a good token.
    ///
    /// - Returns: whether it is known; `decide` has found it among the audiences.
    private mutating func admit(_ id: ClientID, _ attempt: SignInAttempt, on key: ConnectionKey) -> Bool {
        guard let status = feed.audiences?.status(of: id.address), let token = attempt.tokenID else { return false }
        if token == status.token {
            succession.recordSignIn(id.address, status)
            feed.set(status.withoutPrevious, for: id.address)
        }
        removals.remove(id)
        // An MQTT 3.1.1 client with a clean session keeps nothing; what MQTT 5 asks for, no plugin is shown.
        if attempt.cleanStart || id.connection != nil { filters.forget(id) }
        let keepsSession = !(attempt.cleanStart && attempt.protocolVersion == 4)
        connections.open(key, device: id, token: token, status: status, keepsSession: keepsSession)
        usage.recordConnection(id, uptime: uptime)
        if !status.isOperator, attempt.origin != .unixSocket { unseen.begin(key, of: id.address, uptime: uptime) }
        if id.connection == nil { away.forget(id.address) }
        resumption.begin(key, id, status)
        earliestExpiry = min(earliestExpiry, status.end(of: token) ?? .min)
        return true
    }

    /// Why a device with a good token may not connect; `nil` if it may. A connection that takes over another is not one
    /// more.
    private mutating func turnAway(_ id: ClientID, from origin: ClientOrigin) -> TurnAway? {
        let (address, limits) = (id.address, limits)
        if let reason = usage.turnAway(id, names: connections.names(of: address), limits: limits, uptime: uptime) {
            return reason
        }
        guard connections.key(of: id) == nil else { return nil }
        if connections.count(of: address) >= limits.connectionsPerDevice { return .deviceConnections }
        if connections.count(of: address.user) >= limits.connectionsPerUser { return .userConnections }
        // However full it is, operators come in by the gateway's own socket.
        let isOperator = feed.audiences?.status(of: address)?.isOperator == true
        if isOperator, origin == .unixSocket { return nil }
        return connections.count >= limits.connections ? .connections : nil
    }

    package mutating func disconnect(_ key: ConnectionKey) {
        resumption.disconnect(key)
        recordExcessiveEnd(key)
        unseen.end(key)
        if let id = connections.clientID(of: key) { usage.recordEnd(id, uptime: uptime) }
        if let left = connections.left(key, uptime: uptime) {
            away.begin(left.device, unread: left.bytes, limits: limits)
        }
        if let id = connections.clientID(of: key), id.connection != nil { filters.forget(id) }
        connections.close(key)
    }

    /// The client ids of the connections that receive nothing any more and must be made anew. All of them are open: the
    /// broker must not be asked to end one that is not.
    package mutating func drainExhausted() -> [String] {
        let ended = resumption.drainExhausted().filter { connections.key(of: $0) != nil }.map(\.description)
        counts.madeAnew += ended.count
        return ended
    }

    /// The client ids of the connections that end now because their tokens have. Cheap while none has.
    package mutating func expire(now: Int64) -> [String] {
        guard now >= earliestExpiry else { return [] }
        var earliest = Int64.max
        let ended = connections.end { device in
            let end = device.status.end(of: device.token) ?? .min
            if now < end { earliest = min(earliest, end) }
            return now >= end
        }
        earliestExpiry = earliest
        filters.forgetConnections(in: ended)
        counts.tokensExpired += ended.count
        return ended
    }
}

// MARK: Presence

extension AccessGate {
    /// How often everything is reported to the gateway although nothing asks for it, in seconds: a report that the
    /// broker's queue had no room for does not stay lost.
    private static let everyoneInterval: Int64 = 600

    /// The reports of who is connected that are due.
    ///
    /// Nothing while no snapshot is in force or its `intake` is away; then everybody, once both are there again.
    ///
    /// - Parameter broker: names this run of the broker.
    package mutating func drainPresence(broker: UInt64, now: Int64) -> [PresenceReport] {
        guard isReady, connections.isConnected(.intake) else {
            everyoneDueAt = .min
            return []
        }
        guard now >= everyoneDueAt else { return connections.users.drainNews(uptime: uptime) }
        everyoneDueAt = now + AccessGate.everyoneInterval
        return PresenceReport.set(of: connections.users.drainEveryone(), broker: broker)
    }
}

// MARK: Counts

extension AccessGate {
    /// In nanoseconds.
    private static let countsInterval: Int64 = 5_000_000_000

    /// What was counted, if it has changed since the last report and that was not a moment ago.
    package mutating func drainCounts() -> BrokerCounts? {
        guard counts != reportedCounts ?? BrokerCounts(), isReady, connections.isConnected(.intake),
            reportedCounts == nil || uptime >= countsDueAt
        else { return nil }
        countsDueAt = uptime + AccessGate.countsInterval
        reportedCounts = counts
        return counts
    }
}

// MARK: Tokens

extension AccessGate {
    /// The new tokens that have signed in while the ones before were still good, as far as a report of them is due.
    ///
    /// Nothing while no snapshot is in force or the gateway's `intake` is away; then all that it has not recorded, and
    /// again once in ten minutes.
    package mutating func drainTokenUses(now: Int64) -> [TokenUse] {
        let news = succession.drainNews()
        guard isReady, connections.isConnected(.intake) else {
            successionDueAt = .min
            return []
        }
        guard now >= successionDueAt else { return news }
        successionDueAt = now + AccessGate.everyoneInterval
        return succession.everyone
    }
}
