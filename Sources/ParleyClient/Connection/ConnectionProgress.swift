/// How far a client has come on its connection.
final class ConnectionProgress {
    enum State {
        case connecting
        case connected
        /// Another attempt follows.
        case waiting(ConnectionError)
        case ended(ConnectionError)
    }

    private(set) var state = State.connecting
    /// Counts the connections, so that what was asked on one is not taken for said on the next.
    private(set) var number = 0
    /// Conversations have to be listed: nobody knows what was missed.
    private(set) var needsList = true
    /// The device's keys have to be published on this connection.
    private(set) var needsKeys = true
    /// They were published on this one or an earlier one: others can open what is sent.
    private(set) var hasPublished = false

    var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// Why there is no connection, if so.
    var cause: ConnectionError? {
        switch state {
        case .connecting, .connected: nil
        case .waiting(let cause), .ended(let cause): cause
        }
    }

    /// Why there will be none any more.
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

    /// Something that the connection brought was lost on the way here.
    func markMissed() { needsList = true }

    /// The list that was asked for on connection `number` is complete.
    func markListed(on number: Int) { if number == self.number { needsList = false } }

    func markPublished(on number: Int) {
        hasPublished = true
        if number == self.number { needsKeys = false }
    }
}
