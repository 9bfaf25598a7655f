/// What the gateway says of its own accord (protocol §3). What has happened shows by its type:
/// `if let end = event as? WeekEnd`.
public protocol GatewayEvent: Hashable, Sendable {
    /// Its name in the protocol, such as `week.ended`.
    var name: String { get }
}

/// An event as the gateway publishes it and a device reads it: a type for each, which declares name and topic once.
///
/// It is in the folder of its capability, an ``AddressedEvent`` or a ``PersonalEvent``, and has a line in
/// ``EventTable``.
package protocol PublishedEvent: GatewayEvent {
    /// What `type` says; several names where what they stand for shows by the data, or has the same data.
    static var names: [String] { get }
    /// Whether the broker keeps the last one for who subscribes later.
    static var isRetained: Bool { get }

    /// Reads `data`.
    static func read(_ name: String, _ data: JSONObject) throws(ReadingError) -> any PublishedEvent

    /// Whether the event belongs on the topic: who may subscribe to one topic may not learn what belongs on another.
    func belongs(on topic: Topic) -> Bool

    /// What a client does with it: hands it on, where the event does not say otherwise.
    var received: ReceivedEvent { get }

    /// Writes `data`.
    func write(to writer: inout JSONWriter)

    /// Writes the whole event.
    func writeEvent(to writer: inout JSONWriter)
}

/// An event that names, by what it is about, the topic on which it is published.
package protocol AddressedEvent: PublishedEvent {
    var topic: Topic { get }
}

/// An event for one user, on a topic of theirs, whom it does not name.
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
