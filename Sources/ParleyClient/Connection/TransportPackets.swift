/// Matches a packet with its answer: unique among the connection's unanswered packets.
public struct PacketNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A request on its way to the broker.
public struct OutgoingMessage: Hashable, Sendable {
    public let topic: String
    /// JSON.
    public let payload: [UInt8]
    /// `nil` for a request that gets no reply.
    public let reply: ReplyAddress?

    /// The response topic and correlation data (MQTT 5 §3.3.2.3.5, §3.3.2.3.6).
    public struct ReplyAddress: Hashable, Sendable {
        public let topic: String
        public let correlationData: [UInt8]
    }
}

/// A received message.
public struct IncomingMessage: Hashable, Sendable {
    public let topic: String
    public let payload: [UInt8]
    public let correlationData: [UInt8]?
    /// Whether it is a retained message.
    public let isRetained: Bool

    public init(topic: String, payload: [UInt8], correlationData: [UInt8]? = nil, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.correlationData = correlationData
        self.isRetained = isRetained
    }
}

/// An event of a connection.
public enum TransportEvent: Hashable, Sendable {
    case message(IncomingMessage)
    /// The broker's answer to a publish.
    case published(PacketNumber, PublishVerdict)
    /// The broker's answer to a subscription.
    case subscribed(PacketNumber, isGranted: Bool)
}

/// The reason code of a PUBACK (MQTT 5 §3.4.2.1).
public enum PublishVerdict: Hashable, Sendable {
    /// The broker has it, with or without subscribers.
    case accepted
    /// The receiver's queue is full (0x97): a repeat may pass.
    case noRoom
    /// Any other failure (0x80 and above): the device may not publish this.
    case refused
}

/// Why a call of a transport failed.
public enum TransportError: Error, Sendable {
    /// The topic or filter is invalid or too long. Nothing was sent.
    case invalidTopic
    /// The packet is larger than the broker accepts. Nothing was sent.
    case tooLarge
    /// Too many publishes are unacknowledged. Nothing was sent.
    case noRoom
    /// The connection is over.
    case lost(ConnectionError)
}
