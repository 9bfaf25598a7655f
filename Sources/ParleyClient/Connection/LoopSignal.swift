import Platform

/// Wakes the waiting thread of a device's connection.
public struct LoopSignal: Sendable {
    package let wakeUp: WakeUp

    init() throws(SystemError) { wakeUp = try WakeUp() }

    /// Callable from any thread; never blocks. Several signals count as one until the thread handles them.
    public func send() { wakeUp.signal() }

    /// Waits on the connection's thread for the signal or `deadline`; returns at once if it was sent since the thread
    /// last handled it. For transports without a descriptor of their own.
    public func wait(until deadline: ContinuousClock.Instant?) {
        var watched = [WatchedDescriptor(wakeUp.descriptor)]
        _ = try? waitForEvents(&watched, timeout: deadline.map { max(.zero, $0 - .now) })
    }

    /// The thread is about to handle the signal.
    func reset() { wakeUp.drain() }
}
