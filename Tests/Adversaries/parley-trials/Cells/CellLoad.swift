import Foundation
import GatewaySite
import MQTTWire
import ParleyProtocol
import Platform
import Synchronization

/// Talkers, on a thread of their own, while something is done to cells on another.
final class CellLoad: Sendable {
    private struct State {
        var isTalking = true
        var hasEnded = false
        /// For the talkers' next turn.
        var disturbance: Int64?
        var lastDisturbance: Int64 = 0
        /// As of the last turn.
        var waits: [Talker.Wait] = []
        var answers: [ConversationID: [Ledger.Entry]] = [:]
        var counts = Talker.Counts()
        var areAllIdle = false
        var logLengths: [ConversationID: Int] = [:]
        var report: Report?
        var failure: (any Error)?
    }

    /// What the talkers have in the end.
    struct Report {
        var logs: [(conversation: ConversationID, log: [MessageID])] = []
        var findings = Findings()
    }

    private let state = Mutex(State())
    private let stop: StopFlag

    /// Starts talking.
    ///
    /// - Parameter ports: HAProxy's, or those of brokers, each of which is for some of the groups.
    init(_ groups: [Population.Group], ports: [UInt16], seed: UInt64, stop: StopFlag) {
        self.stop = stop
        // It ends with `end`, with a failure, or with `stop`.
        Thread.detachNewThread { [self] in
            do { try run(groups, ports, seed) } catch { state.withLock { $0.failure = error } }
        }
    }

    private func run(_ groups: [Population.Group], _ ports: [UInt16], _ seed: UInt64) throws {
        let talkers = groups.enumerated().flatMap { number, group in
            group.seats.enumerated().map { place, seat in
                Talker(
                    seat, in: group.id, port: ports[number % ports.count],
                    seed: seed &+ UInt64(number << 8 | place))
            }
        }
        while !stop.isRaised, !state.withLock({ $0.hasEnded }) {
            let (isTalking, disturbance) = state.withLock { state in
                defer { state.disturbance = nil }
                return (state.isTalking, state.disturbance)
            }
            if let disturbance { talkers.forEach { $0.beginWait(at: disturbance) } }
            let now = MonotonicTime.now
            for talker in talkers { try talker.step(at: now, isTalking: isTalking) }
            publish(talkers)
            var entries = talkers.map { $0.device?.entry ?? pollfd(fd: -1, events: 0, revents: 0) }
            guard try Socket.poll(&entries, milliseconds: 5) > 0 else { continue }
            for (talker, entry) in zip(talkers, entries) where entry.revents != 0 { try talker.device?.receive() }
        }
        var report = Report()
        for talker in talkers {
            report.logs.append((talker.conversation, talker.log))
            report.findings.add(talker.findings)
        }
        let done = report
        state.withLock { $0.report = done }
    }

    private func publish(_ talkers: [Talker]) {
        let answers = talkers.map { ($0.conversation, $0.takeAnswers()) }
        let waits = talkers.compactMap(\.wait)
        let counts = talkers.reduce(into: Talker.Counts()) { $0 += $1.counts }
        let areAllIdle = talkers.allSatisfy(\.isIdle)
        let lengths = Dictionary(talkers.map { ($0.conversation, $0.log.count) }, uniquingKeysWith: min)
        state.withLock { state in
            for (conversation, entries) in answers where !entries.isEmpty {
                state.answers[conversation, default: []] += entries
            }
            state.waits = waits
            state.counts = counts
            state.areAllIdle = areAllIdle && !state.isTalking
            state.logLengths = lengths
        }
    }
}

// MARK: For the other thread

extension CellLoad {
    /// Something was done to a cell just now.
    func recordDisturbance(at time: Int64 = MonotonicTime.now) {
        state.withLock { state in
            state.disturbance = time
            state.lastDisturbance = time
        }
    }

    /// Waits until everybody has an answer to something that was sent after the last disturbance.
    ///
    /// - Returns: how long each has waited, and whether with a new connection; nothing of who has none in time.
    func awaitService(_ count: Int, within limit: Duration) throws -> [(wait: Int64, isNew: Bool)] {
        let deadline = ContinuousClock.now + limit
        while true {
            let ended = try checked { state in
                state.waits.filter { $0.since == state.lastDisturbance && $0.endedAt != nil }
            }
            if ended.count == count || ContinuousClock.now > deadline {
                return ended.map { (($0.endedAt ?? 0) - $0.since, $0.hasLostConnection) }
            }
            usleep(2_000)
        }
    }

    var counts: Talker.Counts { state.withLock { $0.counts } }

    /// What was answered since the last call.
    func takeAnswers() -> [ConversationID: [Ledger.Entry]] {
        state.withLock { state in
            defer { state.answers = [:] }
            return state.answers
        }
    }

    /// Nobody begins a request any more. Waits until all are answered.
    ///
    /// - Returns: whether they were in time.
    func fallSilent(within limit: Duration) throws -> Bool {
        state.withLock { $0.isTalking = false }
        return try eventually(within: limit) { $0.areAllIdle }
    }

    /// Waits until each device has so much of its conversation.
    func awaitLogs(_ lengths: [ConversationID: Int], within limit: Duration) throws -> Bool {
        try eventually(within: limit) { state in lengths.allSatisfy { state.logLengths[$0.key] ?? 0 >= $0.value } }
    }

    func end() throws -> Report {
        state.withLock { $0.hasEnded = true }
        while true {
            if let report = try checked({ $0.report }) { return report }
            usleep(1_000)
        }
    }

    private func eventually(within limit: Duration, _ condition: (State) -> Bool) throws -> Bool {
        let deadline = ContinuousClock.now + limit
        while try !checked(condition) {
            guard ContinuousClock.now < deadline else { return false }
            usleep(5_000)
        }
        return true
    }

    /// - Throws: the failure that has ended the thread.
    private func checked<Value>(_ read: (State) -> Value) throws -> Value {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            if stop.isRaised { throw LoadError.interrupted }
            return read(state)
        }
    }
}
