import ParleyProtocol

/// The bytes that devices send past the plugin, which have no other limit.
///
/// The broker reads PUBACK, PINGREQ, and the properties of SUBSCRIBE and UNSUBSCRIBE without asking. Unseen bytes are
/// all bytes of a connection, which the kernel counts, less the shown ones with the overhead of packets, TLS and
/// WebSocket. A partial packet is shown once it is complete: one packet for all connections of a device is not charged
/// for ten minutes, unless the device has sent too much already. The part of a packet at the end of its connection is
/// charged apart.
package struct UnseenBytes: Sendable {
    private struct Connection {
        let device: DeviceAddress
        var shown = 0
        /// Of shown packets and filters.
        var count = 0
        var charged = 0
        /// Neither shown nor charged at the last reading.
        var pending = 0
        /// The least unseen bytes since `since`: earlier partial packets are complete by now.
        var least = 0
        var since: Int64
    }

    /// The broker's `max_packet_size`.
    static let largestPacket = 384 * 1024
    /// In nanoseconds: that of the largest packet at 0.7 KB a second.
    private static let patience: Int64 = 600_000_000_000
    /// Of PUBLISH beside topic, payload and properties, with its frame, and PUBREL at QoS 2.
    private static let publishOverhead = 32
    /// The length of a filter, and its options.
    private static let filterOverhead = 3
    /// PUBACK with a reason, in a frame of its own.
    private static let acknowledgement = 16
    /// The broker's answer to a shown packet, in a frame of its own.
    private static let answer = 10
    /// The most that counts of a topic: an alias stands for 64 KB with a few bytes.
    private static let longestTopic = 1024

    private var connections: [ConnectionKey: Connection] = [:]
    /// Of all connections of a device; none that is 0.
    private var pending: [DeviceAddress: Int] = [:]

    package init() {}

    package func device(of key: ConnectionKey) -> DeviceAddress? { connections[key]?.device }

    package mutating func begin(_ key: ConnectionKey, of device: DeviceAddress, uptime: Int64) {
        end(key)
        connections[key] = Connection(device: device, since: uptime)
    }

    package mutating func end(_ key: ConnectionKey) {
        guard let connection = connections.removeValue(forKey: key) else { return }
        setPending(0, of: connection)
    }

    private mutating func setPending(_ bytes: Int, of connection: Connection) {
        let sum = (pending[connection.device] ?? 0) + bytes - connection.pending
        pending[connection.device] = sum > 0 ? sum : nil
    }

    /// PUBLISH was shown; lengths in bytes.
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

    /// A message was queued, which the client will acknowledge.
    package mutating func expectAcknowledgement(_ key: ConnectionKey) {
        show(key, 0, overhead: UnseenBytes.acknowledgement)
    }

    private mutating func show(_ key: ConnectionKey, _ bytes: Int, overhead: Int) {
        connections[key]?.shown += bytes + bytes / 8 + overhead
    }

    /// The most that the broker may have written as answers: those to shown packets are short, and others no longer
    /// than what they answer.
    package func mostAnswers(_ key: ConnectionKey, received: Int) -> Int {
        guard let connection = connections[key] else { return 0 }
        return connection.count * UnseenBytes.answer + max(0, received - connection.shown)
    }

    /// The connection ends: the unseen bytes that may be a partial packet, not charged otherwise; one packet at most.
    package mutating func chargePart(_ key: ConnectionKey, received: Int) -> Int? {
        guard var connection = connections[key] else { return nil }
        let part = min(UnseenBytes.largestPacket, max(0, received - connection.shown - connection.charged))
        guard part > 0 else { return nil }
        connection.charged += part
        connections[key] = connection
        return part
    }

    /// - Parameters:
    ///   - received: bytes that the broker has read of the connection so far.
    ///   - isLast: whether the connection ends.
    ///   - mayWait: whether a possible partial packet is not charged yet.
    /// - Returns: unseen bytes that were not returned before; `nil` for none.
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
