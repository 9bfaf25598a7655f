import Dispatch
import Glibc
import TestSupport
import Testing

@testable import ParleyDeviceStore

/// The seed decides when the process is killed and what it does; how far it comes by then no seed decides.
@Suite("The queue of a process that is killed", .seeded, .ownThreads)
struct QueueKillTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Has a process work on the queue until it is killed, from outside its own course, at a moment of no choosing:
    /// while it opens the file, or while it works.
    private func work(_ load: QueueLoad, _ random: inout Seeded) async {
        let (moment, isKilledAtOnce, seed) = (random.number(500...100_000), random.chance(0.25), random.next())
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                path = load.directory as String, finishing = load.finishing as QueueLoad.Finishing,
                moment = moment as Int, isKilledAtOnce = isKilledAtOnce as Bool, seed = seed as UInt64
            ] in
            func killSoon() {
                let moment = DispatchTimeInterval.microseconds(moment)
                DispatchQueue.global().asyncAfter(deadline: .now() + moment) { kill(getpid(), SIGKILL) }
            }
            if isKilledAtOnce { killSoon() }
            try QueueLoad(directory: path, finishing: finishing).run(seed: seed) { if !isKilledAtOnce { killSoon() } }
        }
    }

    @Test("killed at any moment, nothing that was appended is lost and nothing that was finished comes back")
    func killLosesNothing() async throws {
        let load = QueueLoad(directory: directory.path, finishing: .atOnce)
        var random = Seeded(stream: 450)
        var rounds = 0
        // A slow machine may get little done before it is killed.
        while try rounds < 25 || load.finished < 20 {
            rounds += 1
            try #require(rounds < 2000)
            await work(load, &random)
            let store = try directory.open()
            #expect(try load.faults(in: store) == [], "round \(rounds)")
            #expect(try store.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'") == 1)
        }
    }

    @Test("a message that is finished in two steps is caught")
    func twoStepFinishIsCaught() async throws {
        let load = QueueLoad(directory: directory.path, finishing: .inTwoSteps)
        var random = Seeded(stream: 451)
        for _ in 0..<2000 {
            await work(load, &random)
            if try !load.faults(in: directory.open()).isEmpty { return }
        }
        Issue.record("2000 kills found nothing")
    }
}
