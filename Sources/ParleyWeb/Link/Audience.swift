import NIOCore
import ParleyProtocol

/// Who listens to a session, and what was gathered for them.
struct Audience {
    private var listeners: [ObjectIdentifier: any SessionListener] = [:]
    /// Succeeds when everything that the device would hear is subscribed to; `nil` while nobody has listened.
    var gathered: EventLoopFuture<Void>?
    /// Who was last heard to be online, and who was not, of those that are followed: the broker sends what it retains
    /// to the first listener alone.
    var presence: [UserID: [UInt8]] = [:]
    var names = TypingNames()

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
