import ParleyProtocol

/// An event of a connection, in order.
public enum DeviceEvent: Sendable {
    /// Signed in. Subscriptions are being made (again).
    case connected
    /// There is no connection; another attempt follows after the pause.
    case waiting(ConnectionError, pause: Duration)
    /// The broker granted a subscription. Retained messages may have come before this event.
    case subscribed(filter: String)
    /// The broker refused a subscription, which is not requested again.
    case subscriptionRefused(filter: String)
    case message(DeviceMessage)
    /// The number of events that were dropped because the reader was too slow.
    case missed(Int)
    /// The last event: no further attempt is made. A reader who is too slow misses it.
    case ended(ConnectionError)
}

public struct DeviceMessage: Hashable, Sendable {
    /// ``topic`` parses it.
    public let topicName: String
    /// JSON on every topic of the protocol.
    public let payload: [UInt8]
    /// Whether it is a retained message.
    public let isRetained: Bool

    public init(topicName: String, payload: [UInt8], isRetained: Bool) {
        (self.topicName, self.payload, self.isRetained) = (topicName, payload, isRetained)
    }

    /// `nil` for a topic outside the protocol, such as a reply's.
    public var topic: Topic? { Topic(topicName) }

    /// The event's type and data (protocol §3); `nil` if the payload is no event.
    public func event() -> (type: String, data: JSONObject)? {
        guard let object = try? JSONObject(parsing: payload), let type = try? object.text("type", maximum: 64),
            let data = try? object.object("data")
        else { return nil }
        return (type, data)
    }
}
