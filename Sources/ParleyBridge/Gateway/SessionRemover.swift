import Logging
import MQTTClient
import Platform
import ParleyProtocol

/// Removes sessions of devices that do not read, by the client ids that the broker's plugin names. On a thread of its
/// own: the broker may let it wait.
///
/// Bounded: an id without room is dropped, and the plugin asks again.
final class SessionRemover: Sendable {
    private struct State {
        var waiting: [ClientID] = []
        var isClosed = false
    }

    private let state = Monitor(State())
    private let link: BrokerLink
    private let logger: Logger
    private let clock: MachineClock

    private static let limit = 1024
    private static let timeout = Duration.seconds(5)

    init(link: BrokerLink, logger: Logger, clock: MachineClock) {
        self.link = link
        self.logger = logger
        self.clock = clock
    }

    func submit(_ ids: [ClientID]) {
        state.withLock { state in
            for id in ids.prefix(SessionRemover.limit - state.waiting.count) where !state.waiting.contains(id) {
                state.waiting.append(id)
            }
        }
    }

    func close() { state.withLock { $0.isClosed = true } }

    /// Removes sessions until it is closed.
    func run() async throws { try await LoopThread.run(name: "parley-sessions") { self.loop() } }

    private func loop() {
        while let id = next() {
            do {
                let connection = try link.connection(.removal(of: id), now: clock.now, wall: clock.wall)
                try connection.connect(timeout: SessionRemover.timeout)
                connection.disconnect()
            } catch {
                // The device has come back, or the broker is away.
                logger.debug("a session was not removed", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// - Returns: `nil` when it is closed.
    private func next() -> ClientID? {
        state.wait { state -> ClientID?? in
            if state.isClosed { return .some(nil) }
            return state.waiting.isEmpty ? nil : .some(state.waiting.removeFirst())
        }
    }
}
