import ParleyProtocol

// What the broker holds for those who do not read. It shows a plugin no acknowledgements; what it has written to a
// client's socket the kernel tells. What was written and is not acknowledged is bounded by `max_inflight_bytes`.

extension AccessGate {
    /// What a message for one client costs the broker beside topic and payload, in bytes.
    static let messageOverhead = 128
    /// Between two times of ending connections, in nanoseconds: what was ended gives its memory back meanwhile. The
    /// broker stands still while it frees a queue, some milliseconds for one of 10,000 messages, so that few end at
    /// once.
    private static let endingInterval: Int64 = 100_000_000
    private static let mostEndedAtOnce = 4
    private static let mostRemovedAtOnce = 64
    private static let mostLooksAtOnce = 1_000
    /// Less than this is no reason to end anybody, in bytes.
    private static let muchHeld = 512 * 1024
    /// So long after the gateway has come it may still be publishing what it has the broker retain, in nanoseconds.
    static let retainingTime: Int64 = 10_000_000_000

    /// What is to end while the broker holds more than it may.
    ///
    /// 1. The largest holders, connections and sessions of devices that are away, if all together explain half of the
    ///    excess; else somebody would pay for what others hold.
    /// 2. The sessions of all devices that are away: what the broker kept before it was started is not known, and
    ///    whoever comes back gets it from history.
    ///
    /// Nobody else is ended. What the broker keeps for a device's main connection is dropped when the device signs in
    /// again, and nothing more is kept until then.
    ///
    /// - Parameters:
    ///   - used: bytes that the broker has allocated; what it retains by the gateway's order is nobody's unread, and
    ///     taken off.
    ///   - look: what a connection's socket has carried by now; `nil` if that is not known.
    package mutating func relieveMemory(
        used: Int, look: (ConnectionKey) -> SocketBytes? = { _ in nil }
    ) -> MemoryRelief {
        guard isReady else { return MemoryRelief() }
        let used = used - retained.total
        guard used > limits.memoryBytes else {
            unmeasured = nil
            return MemoryRelief()
        }
        guard uptime >= slowestDueAt else { return MemoryRelief() }
        slowestDueAt = uptime + AccessGate.endingInterval
        // What is being removed gives its memory back soon.
        let isRemoving = !removals.isEmpty
        let holders = connectedHolders(look) + (isRemoving ? [] : absentHolders)
        let excess = used - limits.memoryBytes / 4 * 3
        if holders.reduce(0, { $0 + $1.bytes }) >= excess / 2 {
            return end(MemoryHolder.largest(of: holders, explaining: excess, atMost: AccessGate.mostEndedAtOnce))
        }
        return isRemoving || uptime < unmeasuredDueAt ? MemoryRelief() : removeUnmeasured()
    }

    /// The sockets of those who may be ended are looked at once more.
    private mutating func connectedHolders(_ look: (ConnectionKey) -> SocketBytes?) -> [MemoryHolder] {
        let suspects = connections.holders(atLeast: AccessGate.muchHeld, uptime: uptime)
        for suspect in suspects.prefix(AccessGate.mostLooksAtOnce) {
            if let bytes = look(suspect.key) { recordWritten(suspect.key, bytes) }
        }
        return connections.holders(atLeast: AccessGate.muchHeld, uptime: uptime).map(\.holder)
    }

    private mutating func recordWritten(_ key: ConnectionKey, _ bytes: SocketBytes?) {
        connections.recordWritten(
            key, bytes: bytes?.written, answers: unseen.mostAnswers(key, received: bytes?.read ?? 0), uptime: uptime)
    }

    /// What a connection's socket has carried since it began; `nil` if that is not known any more. Asked now and then,
    /// and when the connection ends.
    package mutating func recordSocket(_ key: ConnectionKey, _ bytes: SocketBytes?, isLast: Bool = false) {
        recordWritten(key, bytes)
        if let bytes { recordReceived(key, bytes: bytes.read, isLast: isLast) }
    }

    private var absentHolders: [MemoryHolder] {
        away.devices(atLeast: AccessGate.muchHeld).compactMap { device, bytes in
            guard let id = ClientID(address: device), connections.key(of: id) == nil else { return nil }
            return MemoryHolder(id: id, bytes: bytes, isConnected: false)
        }
    }

    private mutating func end(_ holders: [MemoryHolder]) -> MemoryRelief {
        var relief = MemoryRelief()
        for holder in holders {
            if holder.id.connection == nil { resumption.abandon(holder.id.address) }
            removals.insert(holder.id)
            if holder.isConnected {
                relief.ended.append(holder.id.description)
            } else {
                relief.removed.append(holder.id.description)
            }
        }
        if !holders.isEmpty { removalsDueAt = .min }
        counts.slowReadersEnded += relief.ended.count
        counts.sessionsRemoved += relief.removed.count
        return relief
    }

    /// The next sessions of devices that are away, each once until the broker is below its mark again.
    private mutating func removeUnmeasured() -> MemoryRelief {
        var left = unmeasured ?? (feed.audiences?.addresses ?? []).sorted(by: >)
        var holders: [MemoryHolder] = []
        while holders.count < AccessGate.mostRemovedAtOnce, let device = left.popLast() {
            guard let id = ClientID(address: device), connections.key(of: id) == nil else { continue }
            holders.append(MemoryHolder(id: id, bytes: 0, isConnected: false))
        }
        let isLast = left.isEmpty && (unmeasured == nil || unmeasured?.isEmpty == false)
        unmeasured = left
        var relief = end(holders)
        relief.isUnexplained = isLast
        return relief
    }

    /// The client ids under which the broker may keep what is to go, that the gateway is to be asked to remove: those
    /// that were ended since this was last asked, and again every half minute those that still wait.
    package mutating func drainRemovals() -> [ClientID] {
        guard !removals.isEmpty, uptime >= removalsDueAt, isReady, connections.isConnected(.intake) else { return [] }
        removalsDueAt = uptime + AccessGate.removalInterval
        return removals.filter { connections.key(of: $0) == nil }
    }

    private static let removalInterval: Int64 = 30_000_000_000

    /// Whose session the gateway removes by this sign-in, which takes a device's place for a moment, has no rights, and
    /// keeps nothing: one that was asked for, and whose device has not come back.
    mutating func removal(_ attempt: SignInAttempt, now: Int64, isSigned: (AccessToken) -> Bool) -> ClientID? {
        guard !removals.isEmpty, let id = ClientID(parsing: attempt.clientID.span), removals.contains(id),
            connections.key(of: id) == nil, attempt.isGateways(now: now, isSigned: isSigned)
        else { return nil }
        removals.remove(id)
        filters.forget(id)
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
        let cost = length + AccessGate.messageOverhead
        if isKept, let isWithin = resumption.reserve(cost, for: key, limit: limits.awayBytesPerDevice) {
            guard isWithin else {
                counts.notKept += 1
                return .denied(.overLimit)
            }
        }
        // At QoS 0 it waits for a connection as well, and nothing is kept for a session.
        if connections.recordQueued(key, bytes: length, overhead: AccessGate.messageOverhead, uptime: uptime) || !isKept
        {
            return .allowed
        }
        guard case .device(let id)? = Client(clientID: clientID) else { return .allowed }
        guard away.reserve(cost, for: id.address, limits: limits) else {
            counts.notKept += 1
            return .denied(.overLimit)
        }
        return .allowed
    }
}

/// Somebody for whom the broker holds much, as far as can be known.
package struct MemoryHolder: Hashable, Sendable {
    package let id: ClientID
    package let bytes: Int
    package let isConnected: Bool

    /// The largest, until they explain so many bytes. Of those that are equally large the client id decides, and not
    /// the order of a table.
    static func largest(of holders: [MemoryHolder], explaining bytes: Int, atMost count: Int) -> [MemoryHolder] {
        let sorted = holders.sorted { ($1.bytes, $0.id.description) < ($0.bytes, $1.id.description) }
        var (chosen, sum): ([MemoryHolder], Int) = ([], 0)
        for holder in sorted.prefix(count) where sum < bytes {
            chosen.append(holder)
            sum += holder.bytes
        }
        return chosen
    }
}

/// What ends because the broker holds more than it may.
package struct MemoryRelief: Hashable, Sendable {
    /// The client ids of the connections that are to be ended.
    package var ended: [String] = []
    /// Those whose sessions, which nobody is connected to, the gateway is asked to remove.
    package var removed: [String] = []
    /// Whether all has been done that can be, and nothing that anybody was sent explains what the broker holds.
    package var isUnexplained = false

    package init() {}
}
