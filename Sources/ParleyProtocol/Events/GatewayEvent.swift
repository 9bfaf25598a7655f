/// An event of the gateway's (protocol §3). Its type says what has happened: `if let end = event as? WeekEnd`.
public protocol GatewayEvent: Hashable, Sendable {
    /// Its name in the protocol, such as `week.ended`.
    var name: String { get }
}

/// An event as the gateway publishes it and a device reads it: one type for each, which declares name and topic.
///
/// It is in the folder of its capability, an ``AddressedEvent`` or a ``PersonalEvent``, and has a line in
/// ``EventTable``.
package protocol PublishedEvent: GatewayEvent {
    /// The values of `type`; several if the data tell them apart, or are the same.
    static var names: [String] { get }
    /// Whether the broker keeps the last one for later subscribers.
    static var isRetained: Bool { get }

    /// Reads `data`.
    static func read(_ name: String, _ data: JSONObject) throws(ReadingError) -> any PublishedEvent

    /// Whether the event belongs on the topic: a subscriber of one topic may not learn the events of another.
    func belongs(on topic: Topic) -> Bool

    /// What a client does with it; without another definition, it hands it on.
    var received: ReceivedEvent { get }

    /// Writes `data`.
    func write(to writer: inout JSONWriter)

    /// Writes the whole event.
    func writeEvent(to writer: inout JSONWriter)
}

/// An event that names the topic on which it is published.
package protocol AddressedEvent: PublishedEvent {
    var topic: Topic { get }
}

/// An event for one user, whom it does not name, on a topic of theirs.
package protocol PersonalEvent: PublishedEvent {
    static var channel: UserChannel { get }
}

extension PublishedEvent {
    public var name: String { Self.names[0] }
    package static var isRetained: Bool { false }
    package var received: ReceivedEvent { .other(self) }

    package func writeEvent(to writer: inout JSONWriter) {
        writer.event(name) { write(to: &$0) }
    }
}

extension PublishedEvent where Self: GatewayObject {
    package static func read(_ name: String, _ data: JSONObject) throws(ReadingError) -> any PublishedEvent {
        try Self(reading: data)
    }
}

extension AddressedEvent {
    package func belongs(on topic: Topic) -> Bool { topic == self.topic }
}

extension PersonalEvent {
    package static var channel: UserChannel { .events }

    package func belongs(on topic: Topic) -> Bool {
        if case .user(_, Self.channel) = topic { true } else { false }
    }
}

extension JSONWriter {
    /// `{"type": …, "data": …}` (protocol §3).
    public mutating func event(_ type: String, data: (inout JSONWriter) -> Void) {
        object { object in
            object.member("type", type)
            object.key("data")
            data(&object)
        }
    }
}
