import ParleyProtocol

/// The state and all decisions of the broker's plugin, which carries them out.
///
/// Times are seconds since 1970, except `uptime`, which limits go by. Client ids, topics and messages are bytes from
/// outside; none of them can cause a trap. Without a snapshot only the gateway has rights.
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
    /// Sessions that the gateway must remove, and when it is asked again.
    var removals: Set<ClientID> = []
    var removalsDueAt = Int64.min
    /// When connections may end for the broker's memory again.
    var slowestDueAt = Int64.min
    /// Devices whose sessions may still be removed where no holders explain the broker's memory; `nil` below its mark.
    var unmeasured: [DeviceAddress]?
    /// When such sessions may be removed: earlier, retained messages may be missing.
    var unmeasuredDueAt = Int64.min
    /// Connections of devices that went on past their limits.
    var excessive: [ConnectionKey: ExcessiveClient.Reason] = [:]
    /// Excessive connections that have ended by themselves.
    var endedExcessive: [ExcessiveClient] = []
    var counts = BrokerCounts()
    /// The first expiry of a session, or earlier.
    var earliestExpiry = Int64.max
    /// When all connected users are reported to the gateway again.
    var everyoneDueAt = Int64.min
    /// When all tokens whose first use the gateway has not recorded are reported again.
    var successionDueAt = Int64.min
    /// The last report to the gateway, and when the next one may follow.
    var reportedCounts: BrokerCounts?
    var countsDueAt = Int64.min
    /// When the gateway's lease ends, by `uptime`.
    var leaseEnd = Int64.max
    /// Whether it has ended, and the connections of devices are still to be.
    var hasLapsed = false
    /// In nanoseconds, monotonic.
    package private(set) var uptime: Int64 = 0

    private let operatorListeners: OperatorListeners

    package init(operatorListeners: OperatorListeners = .unixSocket) { self.operatorListeners = operatorListeners }

    /// Whether a snapshot is in force.
    package var isReady: Bool { feed.audiences != nil }

    /// How many devices have usage entries.
    package var rememberedDevices: Int { usage.count }

    package mutating func advance(to uptime: Int64) {
        self.uptime = max(self.uptime, uptime)
        guard isReady, self.uptime >= leaseEnd else { return }
        // From here on nobody hears anything; the connections end with the next tick.
        hasLapsed = true
        feed.lapse()
    }

    var limits: BrokerLimits { feed.audiences?.limits ?? BrokerLimits() }
}

// MARK: Connections

extension AccessGate {
    /// CONNECT. An admitted client is known by `key`.
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
        guard !attempt.isCheck else { return isInService ? decision : .notReady }
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

    /// What must be left of a lease for a proxy to send devices here, in nanoseconds. It is extended each 1 to 1.25 s
    /// to 3 s: with less than this the gateway has ended, stands still, or has no store. So devices are at another cell
    /// soon, and not only when the lease is over and a proxy has noticed.
    private static let leastLease: Int64 = 1_250_000_000

    /// Whether devices had better be here than at another cell. Where there is none, there is no end of the lease.
    private var isInService: Bool { leaseEnd == .max || leaseEnd - uptime >= AccessGate.leastLease }

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
        if !status.role.isLocal, attempt.origin != .unixSocket { unseen.begin(key, of: id.address, uptime: uptime) }
        if id.connection == nil { away.forget(id.address) }
        resumption.begin(key, id, status)
        earliestExpiry = min(earliestExpiry, status.end(of: token) ?? .min)
        return true
    }

    /// Why a device with a good token may not connect; `nil` if it may. A take-over does not count as one more
    /// connection.
    private mutating func turnAway(_ id: ClientID, from origin: ClientOrigin) -> TurnAway? {
        let (address, limits) = (id.address, limits)
        if let reason = usage.turnAway(id, names: connections.names(of: address), limits: limits, uptime: uptime) {
            return reason
        }
        guard connections.key(of: id) == nil else { return nil }
        if connections.count(of: address) >= limits.connectionsPerDevice { return .deviceConnections }
        if connections.count(of: address.user) >= limits.connectionsPerUser { return .userConnections }
        // Operators and doors may always connect by the gateway's own socket.
        let isLocal = feed.audiences?.status(of: address)?.role.isLocal == true
        if isLocal, origin == .unixSocket { return nil }
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

    /// The client ids of open connections that receive nothing any more and must end. The broker must not be asked to
    /// end a closed one.
    package mutating func drainExhausted() -> [String] {
        let ended = resumption.drainExhausted().filter { connections.key(of: $0) != nil }.map(\.description)
        counts.madeAnew += ended.count
        return ended
    }

    /// The client ids of the connections whose tokens have expired. Cheap while none has.
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
    /// How often everything is reported again, in seconds, since a report may be lost where the broker's queue is full.
    private static let everyoneInterval: Int64 = 600

    /// The due reports of connected users: none without a snapshot or the gateway's `intake`, and all users once both
    /// are back.
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

    /// The counts, if they have changed and the last report is old enough.
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
    /// The due reports of renewed tokens that have signed in: none without a snapshot or the gateway's `intake`; all
    /// that it has not recorded once both are back, and every ten minutes.
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
