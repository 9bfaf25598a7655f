import Logging
import ParleyBridge
import ParleyProtocol
import Synchronization
import Testing

/// A gateway in this process, whose clock a test sets, with a real broker.
@Suite("Clock")
struct ClockTests {
    @Test("a clock that steps back never makes a message older than the one before it")
    func stepBack() async throws {
        let host = try TestGateway(start: false)
        try host.startBroker()
        let offset = Atomic<Int64>(0)
        let directory = DataDirectory(path: host.directory)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let isReady = Atomic<Bool>(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let gateway = try Gateway(
                directory: directory, settings: directory.readSettings(), logger: logger,
                now: { .systemNow.advanced(byMilliseconds: offset.load(ordering: .relaxed)) },
                onReady: { isReady.store(true, ordering: .relaxed) })
            group.addTask { try await gateway.run() }
            defer { gateway.stop() }
            while !isReady.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(5)) }
            let (alice, _, conversation) = try host.pair()
            var times: [String] = []
            for step: Int64 in [0, -1_000, -3_600_000, 5_000, -86_400_000, 0] {
                offset.store(step, ordering: .relaxed)
                // A step back empties the buckets of the rate limits, for a moment.
                let sent = message(conversation)
                let data = try eventually("acceptance") { () -> JSON? in
                    let reply = try alice.request("messages/send", sent)
                    return reply["ok"] == true ? reply["data"] : Optional.none
                }
                times.append(data["created_at"].text ?? "")
            }
            #expect(times == times.sorted())
            let page = try alice.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(page["messages"].elements.compactMap { $0["created_at"].text } == times)
        }
    }
}
