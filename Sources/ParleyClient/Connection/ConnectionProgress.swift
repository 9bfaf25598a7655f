/// The state of a client's connection, and of its first steps on it.
final class ConnectionProgress {
    enum State {
        case connecting
        case connected
        /// Another attempt follows.
        case waiting(ConnectionError)
        case ended(ConnectionError)
    }

    private(set) var state = State.connecting
    /// Counts the connections: an answer counts only for the connection that it was requested on.
    private(set) var number = 0
    /// Conversations have to be listed, because messages may have been missed.
    private(set) var needsList = true
    private(set) var needsKeys = true
    /// The keys were published, now or earlier: others can seal for this device.
    private(set) var hasPublished = false

    var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    var cause: ConnectionError? {
        switch state {
        case .connecting, .connected: nil
        case .waiting(let cause), .ended(let cause): cause
        }
    }

    /// Why there will be no further connection.
    var end: ConnectionError? {
        if case .ended(let cause) = state { cause } else { nil }
    }

    func markConnected() {
        state = .connected
        number += 1
        needsList = true
        needsKeys = true
    }

    func markWaiting(_ cause: ConnectionError) { state = .waiting(cause) }
    func markEnded(_ cause: ConnectionError) { state = .ended(cause) }

    /// Events were lost on the way here.
    func markMissed() { needsList = true }

    /// The list that was requested on connection `number` is complete.
    func markListed(on number: Int) { if number == self.number { needsList = false } }

    func markPublished(on number: Int) {
        hasPublished = true
        if number == self.number { needsKeys = false }
    }
}
