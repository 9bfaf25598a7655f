import Platform

/// Wakes the thread of a device's connection while it waits for its network.
public struct LoopSignal: Sendable {
    package let wakeUp: WakeUp

    init() throws(SystemError) { wakeUp = try WakeUp() }

    /// From any thread. Never blocks; several before the thread looks are one.
    public func send() { wakeUp.signal() }

    /// Waits on the connection's thread until the signal is sent, or `deadline`; not at all if it was sent since the
    /// thread last looked at what there is to do. For transports that have no descriptor of their own to wait for.
    ///
    /// - Parameter deadline: `nil` for none.
    public func wait(until deadline: ContinuousClock.Instant?) {
        var watched = [WatchedDescriptor(wakeUp.descriptor)]
        _ = try? waitForEvents(&watched, timeout: deadline.map { max(.zero, $0 - .now) })
    }

    /// The thread is about to look at what there is to do.
    func reset() { wakeUp.drain() }
}
