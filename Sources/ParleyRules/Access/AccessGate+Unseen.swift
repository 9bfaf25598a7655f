import ParleyProtocol

/// A connection that ends because its device went on past its limits.
package struct ExcessiveClient: Hashable, Sendable {
    /// For the operator's log.
    package enum Reason: String, Sendable {
        /// It was refused for its rate too often.
        case refusals = "it went on past its limits"
        /// The broker read more than its packets explain.
        case unseenBytes = "it sent too much that is no message"
    }

    package let clientID: String
    package let reason: Reason
    /// Whether the connection has ended by itself.
    package var hasEnded = false
}

extension AccessGate {
    /// Records the bytes that the broker has read of a connection so far: now and then, and when the connection ends.
    package mutating func recordReceived(_ key: ConnectionKey, bytes: Int, isLast: Bool = false) {
        guard let device = unseen.device(of: key) else { return }
        let mayWait = usage.hasUnseenToSpare(device, uptime: uptime)
        if isLast, let part = unseen.chargePart(key, received: bytes) {
            usage.receivePart(device, bytes: part, uptime: uptime)
        }
        guard
            let charged = unseen.charge(key, received: bytes, isLast: isLast, uptime: uptime, mayWait: mayWait)
        else { return }
        guard !usage.receiveUnseen(device, bytes: charged, uptime: uptime) else { return }
        if isLast {
            counts.overLimit += 1
            usage.suspend(device, uptime: uptime)
        } else {
            // All connections of the device, or each could use the limit again.
            for key in connections.keys(of: device) { excessive[key] = .unseenBytes }
        }
    }

    /// Whether the broker abandons a packet of filters, of which one has room for 100,000, and ends its excessive
    /// sender.
    ///
    /// At a SUBSCRIBE the broker then leaks the collected answers, a byte for each filter, which counts like a repeated
    /// filter. Without room for that the rest of the packet is refused filter by filter.
    package mutating func leavesPacket(_ key: ConnectionKey, isSubscribe: Bool) -> Bool {
        guard excessive[key] != nil, let device = connections.device(key) else { return false }
        return !isSubscribe || usage.subscribeAgain(device.address, bytes: AccessGate.lostAnswers, uptime: uptime)
    }

    /// In bytes.
    private static let lostAnswers = 1_000

    mutating func recordExcessiveEnd(_ key: ConnectionKey) {
        guard let reason = excessive.removeValue(forKey: key), let id = connections.clientID(of: key) else { return }
        endedExcessive.append(ExcessiveClient(clientID: id.description, reason: reason, hasEnded: true))
        usage.suspend(id.address, uptime: uptime)
    }

    package mutating func drainExcessive() -> [ExcessiveClient] {
        guard !excessive.isEmpty || !endedExcessive.isEmpty else { return [] }
        var ended = endedExcessive
        endedExcessive.removeAll()
        for (key, reason) in excessive {
            guard let id = connections.clientID(of: key) else { continue }
            ended.append(ExcessiveClient(clientID: id.description, reason: reason))
            usage.suspend(id.address, uptime: uptime)
        }
        excessive.removeAll()
        counts.disconnected += ended.count
        return ended
    }
}
