import ParleyProtocol

// What the broker holds for those who do not read. It shows a plugin no acknowledgements: what a connection was sent is all
// that is known of what may lie there for it.

extension AccessGate {
    /// What a message for one client costs the broker beside topic and payload, in bytes.
    static let messageOverhead = 128
    /// Between two times of ending connections, in nanoseconds: what was ended gives its memory back meanwhile. The broker
    /// stands still while it frees a queue, some milliseconds for one of 10,000 messages, so that few end at once.
    private static let endingInterval: Int64 = 100_000_000
    private static let mostEndedAtOnce = 4

    /// The client ids of the connections that are ended because the broker holds more than it may: those that were sent most,
    /// faster than anybody reads who reads slowly; or, where there are none, and nothing waits to be removed that was left by
    /// such, those that were sent most since they began.
    ///
    /// What the broker keeps for a device's main connection after that is dropped when the device signs in again, and nothing
    /// more is kept until then.
    ///
    /// - Parameter used: bytes that the broker has allocated.
    package mutating func endSlowest(used: Int) -> [String] {
        guard used > limits.memoryBytes, uptime >= slowestDueAt else { return [] }
        slowestDueAt = uptime + AccessGate.endingInterval
        let slowest = connections.mostSent(
            atLeast: used - limits.memoryBytes / 4 * 3, count: AccessGate.mostEndedAtOnce,
            readersToo: removals.isEmpty, uptime: uptime)
        for id in slowest where id.connection == nil { resumption.abandon(id.address) }
        removals.formUnion(slowest)
        removalsDueAt = .min
        counts.slowReadersEnded += slowest.count
        return slowest.map(\.description)
    }

    /// The client ids under which the broker may keep what is to go, that the gateway is to be asked to remove: those that
    /// were ended since this was last asked, and again every half minute those that still wait.
    package mutating func drainRemovals() -> [ClientID] {
        guard !removals.isEmpty, uptime >= removalsDueAt, isReady, connections.isConnected(.intake) else { return [] }
        removalsDueAt = uptime + AccessGate.removalInterval
        return removals.filter { connections.key(of: $0) == nil }
    }

    private static let removalInterval: Int64 = 30_000_000_000

    /// Whose session the gateway removes by this sign-in, which takes a device's place for a moment, has no rights, and keeps
    /// nothing: one that was asked for, and whose device has not come back.
    mutating func removal(_ attempt: SignInAttempt, now: Int64, isSigned: (AccessToken) -> Bool) -> ClientID? {
        guard !removals.isEmpty, let id = ClientID(parsing: attempt.clientID.span), removals.contains(id),
            connections.key(of: id) == nil, attempt.isGateways(now: now, isSigned: isSigned)
        else { return nil }
        removals.remove(id)
        if id.connection == nil {
            resumption.readmit(id.address)
            away.forget(id.address)
        }
        return id
    }

    /// Counts a message that the broker is about to queue for a client; whether it may.
    mutating func queue(
        _ key: ConnectionKey, clientID: Span<UInt8>, length: Int, isKept: Bool
    ) -> AccessDecision {
        // At QoS 0 nothing is kept for anybody.
        guard isKept else { return .allowed }
        let length = length + AccessGate.messageOverhead
        if connections.recordSent(key, bytes: length, uptime: uptime) { return .allowed }
        guard case .device(let id)? = Client(clientID: clientID) else { return .allowed }
        guard away.reserve(length, for: id.address, limits: limits) else {
            counts.notKept += 1
            return .denied(.overLimit)
        }
        return .allowed
    }
}
