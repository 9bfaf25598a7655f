struct EventOutlet {
    let events: AsyncStream<DeviceEvent>
    private let continuation: AsyncStream<DeviceEvent>.Continuation
    /// The events dropped since the last that had room.
    private var missed = 0

    /// - Parameter capacity: the events that may wait for the reader.
    init(capacity: Int = 4096) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
    }

    mutating func emit(_ event: DeviceEvent) {
        if missed > 0, case .enqueued = continuation.yield(.missed(missed)) { missed = 0 }
        if case .dropped = continuation.yield(event) { missed += 1 }
    }

    mutating func finish(_ cause: ConnectionError?) {
        if let cause { emit(.ended(cause)) }
        continuation.finish()
    }
}
