import CMosquitto

extension MQTTConnection {
    /// The most unacknowledged QoS 1 publishes: the lower of our maximum and the broker's.
    package var sendQuota: Int {
        Int(min(configuration.sendMaximum, session?.receiveMaximum ?? .max))
    }

    /// Whether ``publish(_:in:)`` at QoS 1 would be within the quota.
    package var canPublish: Bool { loss == nil && session != nil && unacknowledgedCount < sendQuota }

    /// Queues one message; ``flush()`` sends it. `bytes` may be reused afterwards.
    ///
    /// - Parameters:
    ///   - message: the message, as ranges into `bytes`.
    ///   - bytes: its topic, payload and properties.
    /// - Returns: the packet identifier of the acknowledgement.
    /// - Throws: an error listed under publishing in ``MQTTError``, which leaves the connection as it was, or the
    ///   reason of the connection's loss.
    @discardableResult
    package func publish(_ message: OutboundMessage, in bytes: [UInt8]) throws(MQTTError) -> PacketIdentifier {
        try requireConnection()
        guard message.fits(in: bytes.count) else { throw .invalidRange }
        switch message.qos {
        case .atMostOnce: guard unsent.bytes < configuration.maximumUnsentBytes else { throw .sendBufferFull }
        case .atLeastOnce: guard unacknowledgedCount < sendQuota else { throw .sendQuotaExhausted }
        }
        let size = try checkedPacketSize(of: message)

        var properties = PropertyList()
        if message.hasProperties { try fill(&properties, from: message, in: bytes) }
        let packet = try unsafe withCString(bytes[message.topic]) { topic throws(MQTTError) in
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(MQTTError) in
                try unsafe handle.publish(
                    topic: topic,
                    payload: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[message.payload])),
                    qos: message.qos, isRetained: message.isRetained, properties: properties)
            }
        }
        switch message.qos {
        case .atMostOnce: unsent.append(size)
        case .atLeastOnce: unacknowledgedCount += 1
        }
        return packet
    }

    /// Queues one message that is not in an arena. It copies: for rare messages.
    @discardableResult
    package func publish(
        topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, isRetained: Bool = false
    ) throws(MQTTError) -> PacketIdentifier {
        let bytes = Array(topic.utf8) + payload
        let topicEnd = bytes.count - payload.count
        return try publish(
            OutboundMessage(topic: 0..<topicEnd, payload: topicEnd..<bytes.count, qos: qos, isRetained: isRetained),
            in: bytes)
    }

    /// Refuses a packet above the broker's limit. The library checks too, but misses a packet one byte too large and
    /// then ends the process: it logs the refusal without a handle, and asserts that it has one.
    private func checkedPacketSize(of message: OutboundMessage) throws(MQTTError) -> Int {
        let size = message.packetSize(for: configuration.version)
        let maximum = min(Int(session?.maximumPacketSize ?? .max), OutboundMessage.maximumPacketSize)
        guard size <= maximum else { throw .packetTooLarge(bytes: size, maximum: maximum) }
        return size
    }

    private func fill(
        _ properties: inout PropertyList, from message: OutboundMessage, in bytes: [UInt8]
    ) throws(MQTTError) {
        guard configuration.version == .v5 else { throw .propertiesNotSupported }
        if let seconds = message.expirySeconds {
            try properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, seconds)
        }
        if let range = message.responseTopic {
            try unsafe withCString(bytes[range]) { text throws(MQTTError) in
                try unsafe properties.add(MQTT_PROP_RESPONSE_TOPIC, string: text)
            }
        }
        if let range = message.correlationData {
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(MQTTError) in
                try unsafe properties.add(
                    MQTT_PROP_CORRELATION_DATA,
                    binary: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
            }
        }
    }

    /// Calls `body` with `text` as a C string, in memory that is reused.
    private func withCString<Result>(
        _ text: ArraySlice<UInt8>, _ body: (UnsafePointer<CChar>) throws(MQTTError) -> Result
    ) throws(MQTTError) -> Result {
        guard !text.isEmpty, !text.contains(0) else { throw .invalidTopic }
        topicScratch.removeAll(keepingCapacity: true)
        topicScratch.append(contentsOf: text)
        topicScratch.append(0)
        return try unsafe topicScratch.withUnsafeBufferPointer { bytes throws(MQTTError) in
            guard let start = bytes.baseAddress else { throw .invalidTopic }
            return try unsafe body(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
        }
    }
}
