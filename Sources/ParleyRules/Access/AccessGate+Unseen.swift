import ParleyProtocol

// What devices send past the plugin, and what becomes of those who send too much.

/// A connection that is ended because its device went on past its limits.
package struct ExcessiveClient: Hashable, Sendable {
    /// The reason is for the operator's log and for tests.
    package enum Reason: String, Sendable {
        /// It was refused for its rate again and again.
        case refusals = "it went on past its limits"
        /// The broker read more of it than the packets that it may send explain.
        case unseenBytes = "it sent too much that is no message"
    }

    package let clientID: String
    package let reason: Reason
    /// Whether the connection has ended by itself since.
    package var hasEnded = false
}

extension AccessGate {
    /// The broker has read so many bytes of a connection since it began. Asked now and then, and when the connection
    /// ends: what is not known of a connection is charged to nobody.
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
            // What one of them leaves to the others would be many times as much.
            for key in connections.keys(of: device) { excessive[key] = .unseenBytes }
        }
    }

    /// Whether the broker is to leave a packet of filters and end its sender, who has gone on past their limits: a
    /// packet has room for 100,000 of them.
    ///
    /// At a SUBSCRIBE the broker then loses the answers that it has collected so far, a byte for each filter, which
    /// counts as subscribing anew does. Without room for that the rest of the packet is refused filter by filter.
    package mutating func leavesPacket(_ key: ConnectionKey, isSubscribe: Bool) -> Bool {
        guard excessive[key] != nil, let device = connections.device(key) else { return false }
        return !isSubscribe || usage.subscribeAgain(device.address, bytes: AccessGate.lostAnswers, uptime: uptime)
    }

    /// In bytes.
    private static let lostAnswers = 1_000

    /// A connection that is to end has ended.
    mutating func recordExcessiveEnd(_ key: ConnectionKey) {
        guard let reason = excessive.removeValue(forKey: key), let id = connections.clientID(of: key) else { return }
        endedExcessive.append(ExcessiveClient(clientID: id.description, reason: reason, hasEnded: true))
        usage.suspend(id.address, uptime: uptime)
    }

    /// The connections that are ended because their devices have gone on past their limits.
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
