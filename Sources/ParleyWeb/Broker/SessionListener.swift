import NIOCore

/// A listener to the events of a session: a WebSocket. It is called on the session's event loop.
protocol SessionListener: AnyObject, Sendable {
    /// An event as the gateway published it: `{"type":…,"data":…}`.
    func receive(_ event: [UInt8])
    /// Forwards the events received so far.
    func flush()
    /// No more events follow.
    func end(_ cause: SessionEnd)
}
