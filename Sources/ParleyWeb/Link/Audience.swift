import NIOCore

/// Who listens to a session, and what was gathered for them.
struct Audience {
    private var listeners: [ObjectIdentifier: any SessionListener] = [:]
    /// Succeeds when everything that the device would hear is subscribed to; `nil` while nobody has listened.
    var gathered: EventLoopFuture<Void>?
    var names = TypingNames()

    var isEmpty: Bool { listeners.isEmpty }

    mutating func add(_ listener: any SessionListener) { listeners[ObjectIdentifier(listener)] = listener }
    mutating func remove(_ listener: any SessionListener) { listeners[ObjectIdentifier(listener)] = nil }

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
