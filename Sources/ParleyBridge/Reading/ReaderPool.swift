import MQTTClient
import ParleyProtocol
import ParleyStore

/// A few threads that answer reads, so that a long page never holds up a commit.
///
/// Bounded: what does not find room is answered `unavailable` at once.
final class ReaderPool: Sendable {
    private struct State {
        var waiting: [Incoming] = []
        var isClosed = false
    }

    private let state = Monitor(State())
    private let reader: Reader
    private let queue: OutQueue
    private let limit: Int
    private let now: @Sendable () -> Timestamp

    init(reader: Reader, queue: OutQueue, limit: Int, now: @escaping @Sendable () -> Timestamp) {
        self.reader = reader
        self.queue = queue
        self.limit = limit
        self.now = now
    }

    /// Gives a read to the next free thread. What was committed before this call is what it sees.
    ///
    /// - Returns: whether there was room for it.
    func submit(_ incoming: Incoming) -> Bool {
        state.withLock { state in
            guard state.waiting.count < limit else { return false }
            state.waiting.append(incoming)
            return true
        }
    }

    func close() { state.withLock { $0.isClosed = true } }

    /// Answers reads until the pool is closed.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Store.readers {
                group.addTask { try await LoopThread.run(name: "parley-read-\(index)") { self.loop() } }
            }
            try await group.waitForAll()
        }
    }

    private enum Next {
        case answer([Incoming])
        case finish
    }

    private func loop() {
        while true {
            let next = state.wait { state -> Next? in
                if state.isClosed { return .finish }
                guard !state.waiting.isEmpty else { return nil }
                // A share of what waits, so that the other threads have some too.
                let count = max(1, min(16, state.waiting.count / Store.readers))
                defer { state.waiting.removeFirst(count) }
                return .answer(Array(state.waiting.prefix(count)))
            }
            switch next {
            case .finish: return
            case .answer(let requests):
                for request in requests { queue.addWhenRoom(reader.answer(request, now: now())) }
            }
        }
    }
}
