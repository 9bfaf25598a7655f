import NIOCore

/// Who listens to a session.
struct Audience {
    private var listeners: [ObjectIdentifier: any SessionListener] = [:]
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
