import Dispatch
import Logging
import ParleyBridge
import ParleyProtocol
import ParleyRules
import Synchronization

/// The clocks of a gateway in this process: the machine's, moved by as much as a test says.
final class MovedClock: Sendable {
    private let elapsed = Atomic<Int64>(0)
    private let step = Atomic<Int64>(0)

    /// As if so many milliseconds more had passed, in place of what was said before.
    func move(by milliseconds: Int64) { elapsed.store(milliseconds, ordering: .relaxed) }

    /// Sets the time of day ahead by so much, in place of what was said before.
    func set(aheadBy milliseconds: Int64) { step.store(milliseconds, ordering: .relaxed) }

    var reading: ClockReading {
        let (machine, elapsed) = (ClockReading.machine, elapsed.load(ordering: .relaxed))
        return ClockReading(
            wall: machine.wall.advanced(byMilliseconds: elapsed + step.load(ordering: .relaxed)),
            sinceBoot: machine.sinceBoot + elapsed)
    }
}

/// The threads of a gateway in this process. A test that waits for its answers blocks one of the few that all tasks share;
/// two such tests on a machine of two cores would wait for ever for gateways that have none left.
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
    func runInProcess(by clock: MovedClock, boot: String = "a run", _ body: () throws -> Void) async throws {
        let directory = DataDirectory(path: directory)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let isReady = Atomic<Bool>(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let gateway = try Gateway(
                directory: directory, settings: directory.readSettings(), logger: logger, boot: boot,
                reading: { clock.reading }, onReady: { isReady.store(true, ordering: .relaxed) })
            group.addTask(executorPreference: GatewayThreads()) { try await gateway.run() }
            defer { gateway.stop() }
            while !isReady.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(5)) }
            try body()
        }
    }
}
