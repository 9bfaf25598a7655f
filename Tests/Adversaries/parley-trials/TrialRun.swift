import GatewaySite
import Foundation
import Platform
import Synchronization

/// Carries out many trials, some at a time, on one gateway or on cells that share a database.
struct TrialRun {
    let casts: [Cast]
    /// Of the brokers.
    let ports: [UInt16]
    let seed: UInt64
    let isCutMade: Bool
    /// How many go on at the same time.
    let lanes: Int
    let stop: StopFlag

    /// The state that the threads share.
    private final class Results: Sendable {
        struct State {
            var next = 0
            var outcomes: [TrialOutcome] = []
            /// Trials in which a gateway was not available.
            var disturbed = 0
            var failure: (any Error)?
        }

        let state = Mutex(State())
    }

    /// - Returns: the outcomes, but of trials in which a gateway was not available.
    /// - Throws: the first failure of a trial that could not be carried through.
    func perform() throws -> [TrialOutcome] {
        let results = Results()
        let group = DispatchGroup()
        // They end with the last trial, with the first failure, or with `stop`.
        for _ in 0..<lanes {
            group.enter()
            Thread.detachNewThread {
                work(results)
                group.leave()
            }
        }
        group.wait()
        return try results.state.withLock { state in
            if let failure = state.failure { throw failure }
            if state.disturbed > 0 { report("in \(state.disturbed) trials a gateway was not available") }
            return state.outcomes
        }
    }

    private func work(_ results: Results) {
        while let number = nextNumber(results) {
            do {
                let trial = try Trial(
                    casts[number], ports: TrialPorts(ports, trial: number), seed: seed &+ UInt64(number),
                    isCutMade: isCutMade, stop: stop)
                let outcome = try trial.run()
                let done = results.state.withLock { state in
                    state.outcomes.append(outcome)
                    return state.outcomes.count
                }
                if done % max(100, casts.count / 20) == 0 || done == casts.count {
                    report("\(done) of \(casts.count) trials")
                }
            } catch TrialError.unavailable {
                results.state.withLock { $0.disturbed += 1 }
            } catch {
                results.state.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }

    /// Gives out the next trial; none once one has failed.
    private func nextNumber(_ results: Results) -> Int? {
        results.state.withLock { state in
            guard state.failure == nil, state.next < casts.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }
}
