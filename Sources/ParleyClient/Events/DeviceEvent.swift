import ParleyProtocol

/// What happens on a connection, in the order in which it happened.
public enum DeviceEvent: Sendable {
    /// Signed in. Subscriptions are being made (again).
    case connected
    /// There is no connection; another attempt follows after the pause.
    case waiting(ConnectionError, pause: Duration)
    /// The broker granted a subscription: what is published from now on will come. Retained messages may have come
    /// before this.
    case subscribed(filter: String)
    /// The broker refused it. It is not asked for again.
    case subscriptionRefused(filter: String)
    case message(DeviceMessage)
    /// So many events were dropped here because they were not taken in time.
    case missed(Int)
    /// The last event: no further attempt is made. It is not seen by a reader who has not taken the ones before.
    case ended(ConnectionError)
}

/// A message that came on a subscription.
public struct DeviceMessage: Hashable, Sendable {
    /// The topic as it came; ``topic`` parses it.
    public let topicName: String
    /// JSON, on every topic of the protocol.
    public let payload: [UInt8]
    /// Whether it was kept by the broker from earlier.
    public let isRetained: Bool

    public init(topicName: String, payload: [UInt8], isRetained: Bool) {
        self.topicName = topicName
        self.payload = payload
        self.isRetained = isRetained
    }

    /// `nil` for a topic that is not one of the protocol, such as a reply's own.
    public var topic: Topic? { Topic(topicName) }

    /// The event's type and data (protocol §3); `nil` if the payload is no event.
    public func event() -> (type: String, data: JSONObject)? {
        guard let object = try? JSONObject(parsing: payload), let type = try? object.text("type", maximum: 64),
            let data = try? object.object("data")
        else { return nil }
        return (type, data)
    }
}
