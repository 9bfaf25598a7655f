/// The number by which a packet and its answer know each other: no other without an answer has it on this connection.
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

    /// Where a reply is to go, and what it is known by there (MQTT 5 §3.3.2.3.5, §3.3.2.3.6).
    public struct ReplyAddress: Hashable, Sendable {
        public let topic: String
        public let correlationData: [UInt8]
    }
}

/// A message as it came.
public struct IncomingMessage: Hashable, Sendable {
    public let topic: String
    public let payload: [UInt8]
    public let correlationData: [UInt8]?
    /// Whether the broker had kept it from earlier.
    public let isRetained: Bool

    public init(topic: String, payload: [UInt8], correlationData: [UInt8]? = nil, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.correlationData = correlationData
        self.isRetained = isRetained
    }
}

/// What came on a connection.
public enum TransportEvent: Hashable, Sendable {
    case message(IncomingMessage)
    /// The broker's answer to a publish.
    case published(PacketNumber, PublishVerdict)
    /// The broker's answer to a subscription.
    case subscribed(PacketNumber, isGranted: Bool)
}

/// What the broker says of a publish (MQTT 5 §3.4.2.1).
public enum PublishVerdict: Hashable, Sendable {
    /// The broker has it, whether anybody has subscribed or not.
    case accepted
    /// It holds as much for the receiver as it may (0x97): the same may pass later.
    case noRoom
    /// Any other failure (from 0x80 on): the device may not publish this.
    case refused
}

/// Why a transport does not do what it is asked.
public enum TransportError: Error, Sendable {
    /// The topic or filter is none, or too long. Nothing was sent.
    case invalidTopic
    /// The broker takes no packet of this size. Nothing was sent.
    case tooLarge
    /// Too much is on its way; acknowledgements make room. Nothing was sent.
    case noRoom
    /// The connection is over.
    case lost(ConnectionError)
}
