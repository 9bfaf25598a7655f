import ParleyProtocol

/// How much each device has sent that the plugin is not shown, and so has no other limit.
///
/// The broker reads PUBACK, PINGREQ, and the properties of SUBSCRIBE and UNSUBSCRIBE, without asking. What a connection
/// has sent in all, the kernel knows; what the plugin was shown of it is taken off, with room for what a packet, TLS
/// and WebSocket frames add. A packet that has come in part is shown when it is whole: of all connections of a device
/// together, as much as one packet is not charged before ten minutes are over, and charged at once to a device that has
/// sent too much already. What had come of a packet when its connection ended was only read, and is charged apart.
package struct UnseenBytes: Sendable {
    private struct Connection {
        let device: DeviceAddress
        var shown = 0
        /// How many packets and filters were shown.
        var count = 0
        var charged = 0
        /// What was neither shown nor charged when it was last looked at.
        var pending = 0
        /// The least that was not shown since then: whatever came in part before is whole by now.
        var least = 0
        var since: Int64
    }

    /// The broker's `max_packet_size`.
    static let largestPacket = 384 * 1024
    /// In nanoseconds: the largest packet takes that at 0.7 KB a second.
    private static let patience: Int64 = 600_000_000_000
    /// What PUBLISH has besides topic, payload and properties, its frame, and PUBREL at QoS 2.
    private static let publishOverhead = 32
    /// The length of a filter, and its options.
    private static let filterOverhead = 3
    /// PUBACK with a reason, in a frame of its own.
    private static let acknowledgement = 16
    /// What the broker answers to a packet that was shown, in a frame of its own.
    private static let answer = 10
    /// Of what is shown once, no more than this counts: a topic alias brings back 64 KB of topic with a few bytes.
    private static let longestTopic = 1024

    private var connections: [ConnectionKey: Connection] = [:]
    /// Of each device's connections together; none that is 0.
    private var pending: [DeviceAddress: Int] = [:]

    package init() {}

    /// Who has signed in on this connection.
    package func device(of key: ConnectionKey) -> DeviceAddress? { connections[key]?.device }

    /// A device has signed in on this connection.
    package mutating func begin(_ key: ConnectionKey, of device: DeviceAddress, uptime: Int64) {
        end(key)
        connections[key] = Connection(device: device, since: uptime)
    }

    /// The connection has ended, or is somebody else's.
    package mutating func end(_ key: ConnectionKey) {
        guard let connection = connections.removeValue(forKey: key) else { return }
        setPending(0, of: connection)
    }

    private mutating func setPending(_ bytes: Int, of connection: Connection) {
        let sum = (pending[connection.device] ?? 0) + bytes - connection.pending
        pending[connection.device] = sum > 0 ? sum : nil
    }

    /// PUBLISH was shown: its topic and payload, in bytes.
    package mutating func showPublish(_ key: ConnectionKey, topic: Int, payload: Int) {
        show(key, min(topic, UnseenBytes.longestTopic) + max(0, payload), overhead: UnseenBytes.publishOverhead)
        connections[key]?.count += 1
    }

    /// Properties of PUBLISH were shown.
    package mutating func showProperties(_ key: ConnectionKey, count: Int, bytes: Int) {
        // An identifier and two lengths each.
        show(key, bytes + 5 * count, overhead: 0)
    }

    /// A filter of SUBSCRIBE or UNSUBSCRIBE was shown.
    package mutating func showFilter(_ key: ConnectionKey, bytes: Int) {
        show(key, bytes, overhead: UnseenBytes.filterOverhead)
        connections[key]?.count += 1
    }

    /// A message was queued for the connection, which will acknowledge it.
    package mutating func expectAcknowledgement(_ key: ConnectionKey) {
        show(key, 0, overhead: UnseenBytes.acknowledgement)
    }

    private mutating func show(_ key: ConnectionKey, _ bytes: Int, overhead: Int) {
        connections[key]?.shown += bytes + bytes / 8 + overhead
    }

    /// How much the broker may have written to answer what it was sent: no answer is longer than what it answers, and
    /// one to what was shown is short.
    package func mostAnswers(_ key: ConnectionKey, received: Int) -> Int {
        guard let connection = connections[key] else { return 0 }
        return connection.count * UnseenBytes.answer + max(0, received - connection.shown)
    }

    /// The connection ends: what may have been the beginning of a packet, which the broker has read and not handled. Of
    /// what was not shown, no more than one packet, and not what is charged otherwise.
    package mutating func chargePart(_ key: ConnectionKey, received: Int) -> Int? {
        guard var connection = connections[key] else { return nil }
        let part = min(UnseenBytes.largestPacket, max(0, received - connection.shown - connection.charged))
        guard part > 0 else { return nil }
        connection.charged += part
        connections[key] = connection
        return part
    }

    /// The broker has read so many bytes of the connection since it began.
    ///
    /// - Parameters:
    ///   - isLast: whether the connection ends, so that nothing more of it is shown.
    ///   - mayWait: whether what may have come in part is not charged yet.
    /// - Returns: what was not shown and not returned before; `nil` if there is nothing to charge.
    package mutating func charge(
        _ key: ConnectionKey, received: Int, isLast: Bool, uptime: Int64,
        mayWait: Bool = true
    ) -> Int? {
        guard var connection = connections[key] else { return nil }
        let unseen = max(0, received - connection.shown)
        let uncharged = max(0, unseen - connection.charged)
        let others = (pending[connection.device] ?? 0) - connection.pending
        let waiting = isLast || !mayWait ? 0 : UnseenBytes.largestPacket
        var due = isLast ? uncharged : min(uncharged, max(0, others + uncharged - waiting))
        connection.least = min(connection.least, unseen)
        if uptime - connection.since >= UnseenBytes.patience {
            due = max(due, connection.least - connection.charged)
            (connection.least, connection.since) = (unseen, uptime)
        }
        setPending(uncharged - due, of: connection)
        connection.pending = uncharged - due
        connection.charged += due
        connections[key] = connection
        return due > 0 ? due : nil
    }
}
