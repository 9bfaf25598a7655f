/// One received message, as ranges into the arena of its ``InboundBatch``.
///
/// libmosquitto does not tell whether the broker marked it as a duplicate.
package struct InboundMessage: Hashable, Sendable {
    package let topic: Range<Int>
    /// Of a payload above ``MQTTConfiguration/longestPayload`` only the first ``MQTTConfiguration/beginningOfLonger``
    /// bytes.
    package let payload: Range<Int>
    /// The length of the payload as sent, in bytes.
    package let payloadLength: Int
    /// MQTT 5 §3.3.2.3.5.
    package let responseTopic: Range<Int>?
    /// MQTT 5 §3.3.2.3.6.
    package let correlationData: Range<Int>?
    package let qos: QoS
    package let isRetained: Bool
}

/// Received messages and, in one arena, all of their bytes.
///
/// Reuse one value for batch after batch: clearing keeps the memory, so that a message costs no allocation.
package struct InboundBatch: Sendable {
    /// The arena: topics, payloads and properties one after the other.
    package private(set) var bytes: [UInt8] = []
    package private(set) var messages: [InboundMessage] = []

    /// The capacity above which the arena is freed instead of reused, in bytes.
    private static let retainedCapacity = 8 << 20

    package init() {}

    package var count: Int { messages.count }
    package var isEmpty: Bool { messages.isEmpty }

    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.retainedCapacity)
        messages.removeAll(keepingCapacity: true)
    }

    /// Copies `field` into the arena.
    mutating func append(_ field: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        unsafe bytes.append(contentsOf: field)
        return start..<bytes.count
    }

    mutating func append(_ message: InboundMessage) {
        messages.append(message)
    }
}

/// The reason why reading stopped.
package enum BatchEnd: Hashable, Sendable {
    /// Nothing more was readable.
    case drained
    /// Read again before waiting: the batch is full, and data that TLS has already decrypted wakes no `poll`; or the
    /// connection has ended, and the next call throws the reason.
    case unfinished
}
