/// A message to publish, as ranges into its owner's bytes: the mirror of ``InboundMessage``.
package struct OutboundMessage: Hashable, Sendable {
    package var topic: Range<Int>
    package var payload: Range<Int>
    /// MQTT 5 §3.3.2.3.5.
    package var responseTopic: Range<Int>?
    /// At most 65,535 bytes (MQTT 5 §3.3.2.3.6).
    package var correlationData: Range<Int>?
    /// The broker does not deliver it after so many seconds (MQTT 5 §3.3.2.3.3).
    package var expirySeconds: UInt32?
    package var qos: QoS
    package var isRetained: Bool

    package init(
        topic: Range<Int>, payload: Range<Int>, responseTopic: Range<Int>? = nil, correlationData: Range<Int>? = nil,
        expirySeconds: UInt32? = nil, qos: QoS = .atLeastOnce, isRetained: Bool = false
    ) {
        self.topic = topic
        self.payload = payload
        self.responseTopic = responseTopic
        self.correlationData = correlationData
        self.expirySeconds = expirySeconds
        self.qos = qos
        self.isRetained = isRetained
    }

    var hasProperties: Bool { responseTopic != nil || correlationData != nil || expirySeconds != nil }

    /// Whether every range lies within the first `count` bytes.
    func fits(in count: Int) -> Bool {
        topic.upperBound <= count && payload.upperBound <= count
            && topic.lowerBound >= 0 && payload.lowerBound >= 0
            && Self.fits(responseTopic, in: count) && Self.fits(correlationData, in: count)
    }

    private static func fits(_ range: Range<Int>?, in count: Int) -> Bool {
        guard let range else { return true }
        return range.lowerBound >= 0 && range.upperBound <= count && range.count <= Int(UInt16.max)
    }

    /// The largest MQTT packet (MQTT 5 §2.1.4), with its fixed header.
    static let maximumPacketSize = 268_435_455 + 5

    /// The size of the whole PUBLISH packet (MQTT 5 §3.3), in bytes.
    func packetSize(for version: MQTTVersion) -> Int {
        var remaining = 2 + topic.count + payload.count
        if qos == .atLeastOnce { remaining += 2 }
        if version == .v5 {
            var properties = 0
            if let responseTopic { properties += 3 + responseTopic.count }
            if let correlationData { properties += 3 + correlationData.count }
            if expirySeconds != nil { properties += 5 }
            remaining += Self.variableByteIntegerSize(properties) + properties
        }
        return 1 + Self.variableByteIntegerSize(remaining) + remaining
    }

    /// MQTT 5 §1.5.5.
    private static func variableByteIntegerSize(_ value: Int) -> Int {
        switch value {
        case ..<0x80: 1
        case ..<0x4000: 2
        case ..<0x20_0000: 3
        default: 4
        }
    }
}
