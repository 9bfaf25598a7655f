import NIOCore
import ParleyProtocol

/// The listeners of a session, and the state that a later listener needs.
struct Audience {
    private var listeners: [ObjectIdentifier: any SessionListener] = [:]
    /// Succeeds when all topics of the device are subscribed to; `nil` before the first listener.
    var gathered: EventLoopFuture<Void>?
    /// The last presence event of each friend, for later listeners: the broker sends retained messages once per
    /// subscription.
    var presence: [UserID: [UInt8]] = [:]
    var names = TypingNames()
    var ownEvents = OwnEvents()

    var isEmpty: Bool { listeners.isEmpty }

    mutating func add(_ listener: any SessionListener) { listeners[ObjectIdentifier(listener)] = listener }
    mutating func remove(_ listener: any SessionListener) { listeners[ObjectIdentifier(listener)] = nil }

    func tellPresence(_ listener: any SessionListener) {
        guard listeners[ObjectIdentifier(listener)] != nil else { return }
        for event in presence.values { listener.receive(event) }
        listener.flush()
    }

    func receive(_ event: [UInt8]) {
        for listener in listeners.values { listener.receive(event) }
    }

    func flush() {
        for listener in listeners.values { listener.flush() }
    }

    func end(_ cause: SessionEnd) {
        for listener in listeners.values { listener.end(cause) }
    }
}
