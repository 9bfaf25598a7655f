import Platform
import ParleyProtocol
import ParleyStore

/// A few threads that answer reads, so that a long page never holds up a commit.
///
/// Bounded and fair by `ReadQueue`: a read without room is answered `unavailable`.
final class ReaderPool: Sendable {
    private struct State {
        var queue: ReadQueue<IncomingQuery>
        var isClosed = false
    }

    private let state: Monitor<State>
    private let reader: Reader
    private let queue: OutQueue
    private let moment: @Sendable () -> Moment

    init(reader: Reader, queue: OutQueue, limit: Int, moment: @escaping @Sendable () -> Moment) {
        state = Monitor(State(queue: ReadQueue(limit: limit, threads: Store.readers)))
        self.reader = reader
        self.queue = queue
        self.moment = moment
    }

    /// A request that is longer counts as several: a table of thousands of cursors is held in memory while it waits.
    private static let bytesOfOne = 16 * 1024

    /// Queues a read. It sees all commits before this call.
    ///
    /// - Returns: reads without room, this one or others.
    func submit(_ incoming: IncomingQuery) -> [IncomingQuery] {
        state.withLock { state in
            defer { reader.counters.operating.waitingReads.set(state.queue.weight) }
            return state.queue.append(
                incoming, of: incoming.sender, weight: incoming.payloadBytes / ReaderPool.bytesOfOne + 1)
        }
    }

    /// How many wait, long ones counted by their length.
    var waiting: Int { state.withLock { $0.queue.weight } }

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

    private func loop() {
        var finished: (user: UserID, took: Duration)?
        while let (user, request) = next(after: finished) {
            let begin = ContinuousClock.now
            let answer = reader.answer(request, at: moment())
            finished = (user, begin.duration(to: .now))
            queue.addWhenRoom(answer)
        }
    }

    /// - Returns: `nil` when the pool is closed.
    private func next(after finished: (user: UserID, took: Duration)?) -> (user: UserID, element: IncomingQuery)? {
        var finished = finished
        return state.wait { state -> (user: UserID, element: IncomingQuery)?? in
            if let last = finished.take() { state.queue.finish(last.user, took: last.took) }
            if state.isClosed { return .some(nil) }
            defer { reader.counters.operating.waitingReads.set(state.queue.weight) }
            return state.queue.next().map { .some($0) }
        }
    }
}
