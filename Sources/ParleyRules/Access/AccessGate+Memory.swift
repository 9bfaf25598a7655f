import ParleyProtocol

// What the broker holds for clients that do not read. A plugin sees no acknowledgements; how much was written to a
// client's socket, the kernel knows. Unacknowledged messages are bounded by `max_inflight_bytes`.

extension AccessGate {
    /// The broker's cost of a queued message beside topic and payload, in bytes.
    static let messageOverhead = 128
    /// Between two rounds of ending connections, in nanoseconds, in which their memory is freed. The broker blocks
    /// while it frees a queue, some milliseconds for 10,000 messages, so that few connections end at once.
    private static let endingInterval: Int64 = 100_000_000
    private static let mostEndedAtOnce = 4
    private static let mostRemovedAtOnce = 64
    private static let mostLooksAtOnce = 1_000
    /// The least that is a reason to end a connection, in bytes.
    private static let muchHeld = 512 * 1024
    /// How long after its snapshot the gateway may still be publishing retained messages, in nanoseconds.
    static let retainingTime: Int64 = 10_000_000_000

    /// What to end while the broker uses more memory than it may.
    ///
    /// 1. The largest holders, connections and sessions of absent devices, if all holders explain half of the excess;
    /// else users would pay for what others hold. 2. The sessions of all absent devices: their size from before the
    /// broker's start is unknown, and a device that comes back gets its messages from history.
    ///
    /// Nothing else ends. The kept messages of a device's main connection are dropped at its next sign-in, and no more
    /// are kept until then.
    ///
    /// - Parameters:
    ///   - used: bytes that the broker has allocated, retained messages included.
    ///   - look: what a connection's socket has carried, if known.
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
        // Pending removals will free memory.
        let isRemoving = !removals.isEmpty
        let holders = connectedHolders(look) + (isRemoving ? [] : absentHolders)
        let excess = used - limits.memoryBytes / 4 * 3
        if holders.reduce(0, { $0 + $1.bytes }) >= excess / 2 {
            return end(MemoryHolder.largest(of: holders, explaining: excess, atMost: AccessGate.mostEndedAtOnce))
        }
        return isRemoving || uptime < unmeasuredDueAt ? MemoryRelief() : removeUnmeasured()
    }

    /// Reads the sockets of possible holders again.
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

    /// Records what a connection's socket has carried so far, if known: now and then, and when the connection ends.
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

    /// The next sessions of absent devices, each once until the broker is below its mark again.
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

    /// The client ids whose sessions the gateway is asked to remove: all pending ones, every half minute.
    package mutating func drainRemovals() -> [ClientID] {
        guard !removals.isEmpty, uptime >= removalsDueAt, isReady, connections.isConnected(.intake) else { return [] }
        removalsDueAt = uptime + AccessGate.removalInterval
        return removals.filter { connections.key(of: $0) == nil }
    }

    private static let removalInterval: Int64 = 30_000_000_000

    /// The session that the gateway removes by this sign-in under its client id, without rights and with a clean start:
    /// a pending one whose device has not come back.
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

    /// Counts a message that the broker is about to queue, and decides whether it may.
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
        // At QoS 0 it is queued for a connection as well, and not kept for a session.
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

/// A client for which the broker holds much.
package struct MemoryHolder: Hashable, Sendable {
    package let id: ClientID
    package let bytes: Int
    package let isConnected: Bool

    /// The largest that explain an amount. Equally large ones are ordered by client id, not by a table.
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
    /// The client ids of the connections to end.
    package var ended: [String] = []
    /// The client ids of the sessions without a connection that the gateway is asked to remove.
    package var removed: [String] = []
    /// Whether nothing more can end, and no messages explain what the broker holds.
    package var isUnexplained = false

    package init() {}
}
