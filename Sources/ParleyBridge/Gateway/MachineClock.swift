import Foundation
import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore
import Platform

/// The gateway's clock, as all its threads read it: `GatewayClock` with the machine's two clocks.
final class MachineClock: Sendable {
    private struct State {
        var clock: GatewayClock
        /// Whether the clock has changed since it was stored.
        var isChanged = true
        var timeBefore: Timestamp?
        /// Since the machine's start, in milliseconds.
        var storedAt: Int64 = 0
    }

    /// How often it is stored without a change: the next process knows so exactly how long this one has run.
    private static let storagePause = Duration.seconds(60)

    private let state: Monitor<State>
    private let reading: @Sendable () -> ClockReading
    private let boot: String?
    private let logger: Logger

    /// - Parameters:
    ///   - boot: the run of the machine; see `StoredClock`.
    ///   - reading: reads the machine's clocks.
    init(boot: String?, logger: Logger, reading: @escaping @Sendable () -> ClockReading) {
        self.boot = boot
        self.logger = logger
        self.reading = reading
        let first = reading()
        state = Monitor(State(clock: GatewayClock(first, steady: first.wall)))
    }

    /// Continues the clock of an earlier process; among cells, the steady time that they have together. To be called
    /// before any decision.
    func resume(from store: Store) throws(StoreError) {
        let stored = try store.read { try $0.clock.stored() }
        let shared = try store.cells?.beginSteadyTime()
        let first = reading()
        let clock = GatewayClock(first, steady: shared ?? stored.steady(first, boot: boot))
        state.withLock { $0 = State(clock: clock, timeBefore: stored.lastTime) }
    }

    /// The last time of day at which an earlier process is known to have run; `nil` if there was none.
    var timeBefore: Timestamp? { state.withLock { $0.timeBefore } }

    /// The database is of another time than the earlier process.
    func forgetTimeBefore() { state.withLock { $0.timeBefore = nil } }

    var moment: Moment {
        let (moment, event) = state.withLock { state in
            // Read under the lock, so that no thread brings an older reading after a newer.
            let read = state.clock.read(reading())
            if case .followed? = read.event { state.isChanged = true }
            return read
        }
        if let event { log(event) }
        return moment
    }

    var now: Timestamp { moment.now }

    /// Tells the other cells the steady time, and catches up with them: a machine that has stood still is behind.
    func keepUp(with cells: any Cells) throws(StoreError) {
        let steady = try cells.shareSteadyTime(moment.steady)
        // Reads the clocks, and logs a step.
        _ = moment
        let behind = state.withLock { state in
            let behind = state.clock.catchUp(with: steady)
            state.isChanged = state.isChanged || behind > GatewayClock.unnoticed
            return behind
        }
        guard behind > GatewayClock.unnoticed else { return }
        logger.warning(
            "this machine has stood still: it has caught up with the steady time of the other cells",
            metadata: ["seconds": "\(behind / 1000)"])
    }

    /// The machine's time of day: for what another process judges by its own.
    var wall: Timestamp { reading().wall }

    /// How long until its state is to be stored.
    var waitToStore: Duration {
        state.withLock { state in
            guard !state.isChanged else { return .zero }
            return max(.zero, MachineClock.storagePause - .milliseconds(reading().sinceBoot - state.storedAt))
        }
    }

    /// Its state, which is stored now.
    func stateToStore() -> StoredClock {
        state.withLock { state in
            let read = reading()
            _ = state.clock.read(read)
            (state.isChanged, state.storedAt) = (false, read.sinceBoot)
            return state.clock.stored(boot: boot)
        }
    }

    /// It could not be stored.
    func recordNotStored() { state.withLock { $0.isChanged = true } }

    private func log(_ event: GatewayClock.Event) {
        let (message, difference): (Logger.Message, Int64?) =
            switch event {
            case .held(let difference): ("the machine's time of day has stepped; it is not followed yet", difference)
            case .followed(let difference): ("the machine's time of day is followed", difference)
            case .over: ("the machine's time of day is as before", nil)
            }
        logger.warning(message, metadata: difference.map { ["seconds": "\($0 / 1000)"] } ?? [:])
    }
}

extension ClockReading {
    /// The machine's two clocks, read now.
    package static var machine: ClockReading {
        ClockReading(wall: .systemNow, sinceBoot: SystemClock.sinceBoot.milliseconds)
    }

    /// The name of this run of the machine, as Linux names it; `nil` where it has no name.
    package static var machineBoot: String? {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let name = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return name.isEmpty ? nil : name
    }
}

extension Timestamp {
    /// The system's time of day.
    package static var systemNow: Timestamp { Timestamp(milliseconds: SystemClock.timeOfDay.milliseconds) }
}
