import Dispatch
import GatewaySite
import Launch
import Platform
import Synchronization

/// Messages alone and beside a file that goes up and comes down, by turns.
struct BlobMeasurement {
    let fleet: Fleet
    let door: ChildProcess
    private var transfer: BlobTransfer
    let perSecond: Int
    let seconds: Double
    private(set) var messages = MessagesBeside()
    private var times: [BlobTransfer.Times] = []
    private var cpuSeconds: [Double] = []

    init(fleet: Fleet, door: ChildProcess, transfer: BlobTransfer, perSecond: Int, seconds: Double) {
        (self.fleet, self.door, self.transfer) = (fleet, door, transfer)
        (self.perSecond, self.seconds) = (perSecond, seconds)
    }

    private var megabytes: Double { Double(transfer.content.count) / 1e6 }

    mutating func measure(_ round: Int, of rounds: Int) throws {
        messages.add(alone: try run())
        // Without messages, for the figures of the transfer itself.
        let cpuBefore = ProcessUsage.cpuSeconds(door.identifier)
        let times = try transfer.run()
        cpuSeconds.append(ProcessUsage.cpuSeconds(door.identifier) - cpuBefore)
        self.times.append(times)
        try measureBeside()
        report(
            "turn \(round) of \(rounds): \((megabytes / times.up).formatted(0)) MB/s up, "
                + "\((megabytes / times.down).formatted(0)) down; \(messages.p99(beside: "it"))")
    }

    private mutating func run() throws -> LoadOutcome {
        let plan = LoadPlan(pace: .open(perSecond: perSecond), form: .event, warmUp: 1, measured: seconds)
        return try fleet.run(plan) { _ in }
    }

    /// Measures messages while the file goes up and down again and again.
    private mutating func measureBeside() throws {
        let (ending, ended) = (StopFlag(), DispatchSemaphore(value: 0))
        let result = Ending()
        try LoopThread.detach(name: "blobs") { [transfer] in
            var transfer = transfer
            let end = Result<BlobTransfer, any Error> {
                while !ending.isRaised { _ = try transfer.run() }
                return transfer
            }
            result.value.withLock { $0 = end }
            ended.signal()
        }
        let outcome = Result { try run() }
        ending.raise()
        ended.wait()
        if let end = result.value.withLock({ $0 }) { transfer = try end.get() }
        messages.add(beside: try outcome.get())
    }

    private final class Ending: Sendable {
        let value = Mutex<Result<BlobTransfer, any Error>?>(nil)
    }

    // MARK: Report

    func transfers(_ name: String) -> Table {
        var table = Table([name, "MB/s", "door's CPU s", "door's memory at most, MB"], names: 1)
        let most = ProcessUsage.residentMegabytes(door.identifier).most.formatted(1)
        table.rows = [
            ["up", Spread(times.map { megabytes / $0.up }).formatted(0), "", ""],
            ["down", Spread(times.map { megabytes / $0.down }).formatted(0), "", ""],
            ["both", "", Spread(cpuSeconds).formatted(2), most],
        ]
        return table
    }
}
