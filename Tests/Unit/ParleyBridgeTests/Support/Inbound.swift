@testable import MQTTClient

extension InboundBatch {
    /// Adds a message as the broker would hand it on.
    mutating func add(
        _ topic: String, _ payload: [UInt8], responseTopic: String? = nil, correlationData: [UInt8]? = nil,
        isRetained: Bool = false, payloadLength: Int? = nil
    ) {
        append(
            InboundMessage(
                topic: copy(Array(topic.utf8)), payload: copy(payload),
                payloadLength: payloadLength ?? payload.count,
                responseTopic: responseTopic.map { copy(Array($0.utf8)) },
                correlationData: correlationData.map { copy($0) },
                qos: .atLeastOnce, isRetained: isRetained))
    }

    private mutating func copy(_ bytes: [UInt8]) -> Range<Int> {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }
}
