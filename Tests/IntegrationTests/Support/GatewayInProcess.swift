import Logging
import ParleyBridge
import ParleyProtocol
import Synchronization

/// The clock of a gateway in this process: the system's, moved by as much as a test says.
final class MovedClock: Sendable {
    private let offset = Atomic<Int64>(0)

    /// By so many milliseconds, in place of what it was moved by before.
    func move(by milliseconds: Int64) { offset.store(milliseconds, ordering: .relaxed) }

    var now: Timestamp { .systemNow.advanced(byMilliseconds: offset.load(ordering: .relaxed)) }
}

extension TestGateway {
    /// Runs the gateway in this process, beside its real broker, by a clock that the test moves; and a test in it, once
    /// devices can sign in.
    func runInProcess(by clock: MovedClock, _ body: () throws -> Void) async throws {
        let directory = DataDirectory(path: directory)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let isReady = Atomic<Bool>(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let gateway = try Gateway(
                directory: directory, settings: directory.readSettings(), logger: logger, now: { clock.now },
                onReady: { isReady.store(true, ordering: .relaxed) })
            group.addTask { try await gateway.run() }
            defer { gateway.stop() }
            while !isReady.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(5)) }
            try body()
        }
    }
}
