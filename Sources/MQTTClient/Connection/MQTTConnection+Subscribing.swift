import CMosquitto

/// Whether a new subscription receives retained messages (MQTT 5 §3.8.3.1). In 3.1.1 it always does.
package enum RetainHandling: Hashable, Sendable {
    case always
    /// Only if the subscription did not exist.
    case whenNew
    case never
}

extension MQTTConnection {
    /// Queues a subscription; ``flush()`` sends it, and ``drainSubscriptionResults(into:)`` returns the broker's
    /// answer.
    ///
    /// - Parameters:
    ///   - filter: a topic filter (MQTT 5 §4.7.1).
    ///   - noLocal: whether our own publishes are excluded (MQTT 5 only).
    @discardableResult
    package func subscribe(
        to filter: String, qos: QoS = .atLeastOnce, noLocal: Bool = false,
        retainHandling: RetainHandling = .always
    ) throws(MQTTError) -> PacketIdentifier {
        try requireConnection()
        try checkFilter(filter)
        var options = noLocal ? Int32(MQTT_SUB_OPT_NO_LOCAL.rawValue) : 0
        switch retainHandling {
        case .always: break
        case .whenNew: options |= Int32(MQTT_SUB_OPT_SEND_RETAIN_NEW.rawValue)
        case .never: options |= Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue)
        }
        let packet = try handle.subscribe(to: filter, qos: qos, options: options)
        handle.record.pendingSubscriptions.insert(packet)
        return packet
    }

    /// Queues the end of a subscription; ``flush()`` sends it.
    @discardableResult
    package func unsubscribe(from filter: String) throws(MQTTError) -> PacketIdentifier {
        try requireConnection()
        try checkFilter(filter)
        return try handle.unsubscribe(from: filter)
    }

    /// The library checks the rest, but a NUL would cut the filter off first.
    private func checkFilter(_ filter: String) throws(MQTTError) {
        guard !filter.isEmpty, filter.utf8.count <= UInt16.max, !filter.utf8.contains(0) else { throw .invalidTopic }
        let size = filter.utf8.count + 16
        if let maximum = session?.maximumPacketSize, size > maximum {
            throw .packetTooLarge(bytes: size, maximum: Int(maximum))
        }
    }
}
