import Dispatch
import Glibc
import Testing

@testable import ParleyDeviceStore

struct QueueKillTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Has a process work on the queue until it is killed, from outside its own course, at a moment of no choosing: while
    /// it opens the file, or while it works.
    private func work(_ load: QueueLoad) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = load.directory as String, finishing = load.finishing as QueueLoad.Finishing] in
            func killSoon() {
                let moment = DispatchTimeInterval.microseconds(.random(in: 500...100_000))
                DispatchQueue.global().asyncAfter(deadline: .now() + moment) { kill(getpid(), SIGKILL) }
            }
            let isKilledAtOnce = Int.random(in: 0..<4) == 0
            if isKilledAtOnce { killSoon() }
            try QueueLoad(directory: path, finishing: finishing).run { if !isKilledAtOnce { killSoon() } }
        }
    }

    @Test func `killed at any moment, nothing that was appended is lost and nothing that was finished comes back`()
        async throws
    {
        let load = QueueLoad(directory: directory.path, finishing: .atOnce)
        var rounds = 0
        // A slow machine may get little done before it is killed.
        while try rounds < 25 || load.finished < 20 {
            rounds += 1
            try #require(rounds < 2000)
            await work(load)
            let store = try directory.open()
            #expect(try load.faults(in: store) == [], "round \(rounds)")
            #expect(try store.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1)
        }
    }

    @Test func `a message that is finished in two steps is caught`() async throws {
        let load = QueueLoad(directory: directory.path, finishing: .inTwoSteps)
        for _ in 0..<2000 {
            await work(load)
            if try !load.faults(in: directory.open()).isEmpty { return }
        }
        Issue.record("2000 kills found nothing")
    }
}
