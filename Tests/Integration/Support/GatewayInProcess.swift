import Dispatch
import Logging
import ParleyBridge
import ParleyProtocol
import ParleyRules
import Synchronization
import TestSupport

/// The clocks of a gateway in this process: the machine's, moved by as much as a test says.
final class MovedClock: Sendable {
    private let elapsed = Atomic<Int64>(0)
    private let step = Atomic<Int64>(0)
    /// The reading of the machine's clocks when they were stopped.
    private let stopped: ClockReading?

    /// - Parameter isStopped: whether time passes only as the test says.
    init(isStopped: Bool = false) { stopped = isStopped ? .machine : nil }

    /// Sets all clocks ahead, in place of an earlier lead.
    func move(by milliseconds: Int64) { elapsed.store(milliseconds, ordering: .relaxed) }

    /// Sets the time of day ahead, in place of an earlier lead.
    func set(aheadBy milliseconds: Int64) { step.store(milliseconds, ordering: .relaxed) }

    var reading: ClockReading {
        let (machine, elapsed) = (stopped ?? .machine, elapsed.load(ordering: .relaxed))
        return ClockReading(
            wall: machine.wall.advanced(byMilliseconds: elapsed + step.load(ordering: .relaxed)),
            sinceBoot: machine.sinceBoot + elapsed)
    }
}

/// The threads of a gateway in this process. A test that waits for its answers blocks one of the few that all tasks
/// share; two such tests on a machine of two cores would wait for ever for gateways that have none left.
private final class GatewayThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "gateway-in-process", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension TestGateway {
    /// Runs the gateway in this process, beside its real broker, by a clock that the test moves; and a test in it, once
    /// devices can sign in.
    ///
    /// - Parameter boot: the run of the machine.
    func runInProcess(by clock: MovedClock, boot: String? = "a run", _ body: () throws -> Void) async throws {
        let directory = DataDirectory(path: directory)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let (readiness, announcement) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let gateway = try Gateway(
                directory: directory, settings: directory.readSettings(), logger: logger, boot: boot,
                reading: { clock.reading }, onReady: { announcement.yield() })
            group.addTask(executorPreference: GatewayThreads()) {
                defer { announcement.finish() }
                try await gateway.run()
            }
            defer { gateway.stop() }
            var announced = readiness.makeAsyncIterator()
            guard await announced.next() != nil else {
                // It has ended before it was ready: throws its error.
                try await group.waitForAll()
                throw NeverCameError("a gateway that is ready")
            }
            try body()
        }
    }
}
