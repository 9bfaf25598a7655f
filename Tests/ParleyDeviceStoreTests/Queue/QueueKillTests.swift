import Dispatch
import Glibc
import Testing

@testable import ParleyDeviceStore

struct QueueKillTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Has a process work on the queue until it is killed, from outside its own course, at a moment of no choosing.
    private func work(_ load: QueueLoad) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = load.directory as String, finishing = load.finishing as QueueLoad.Finishing] in
            let moment = DispatchTimeInterval.microseconds(.random(in: 500...40_000))
            DispatchQueue.global().asyncAfter(deadline: .now() + moment) { kill(getpid(), SIGKILL) }
            try QueueLoad(directory: path, finishing: finishing).run()
        }
    }

    @Test func `killed at any moment, nothing that was appended is lost and nothing that was finished comes back`()
        async throws
    {
        let load = QueueLoad(directory: directory.path, finishing: .atOnce)
        for round in 0..<25 {
            await work(load)
            let store = try directory.open()
            #expect(try load.faults(in: store) == [], "round \(round)")
            #expect(try store.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1)
        }
        #expect(try load.notes().contains { if case .finished = $0 { true } else { false } })
    }

    @Test func `a message that is finished in two steps is caught`() async throws {
        let load = QueueLoad(directory: directory.path, finishing: .inTwoSteps)
        for _ in 0..<200 {
            await work(load)
            if try !load.faults(in: directory.open()).isEmpty { return }
        }
        Issue.record("200 kills found nothing")
    }
}
