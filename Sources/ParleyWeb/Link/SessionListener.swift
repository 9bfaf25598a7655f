import NIOCore

/// Who hears the events of a session: a WebSocket. It is called on the session's event loop.
protocol SessionListener: AnyObject, Sendable {
    /// An event as the gateway published it: `{"type":…,"data":…}`.
    func receive(_ event: [UInt8])
    /// Sends on what was received.
    func flush()
    /// Nothing more comes.
    func end(_ cause: SessionEnd)
}
