import Dispatch
import GatewaySite
import ParleyProtocol
import Platform
import Synchronization

/// Attempts to sign in, on a thread of their own, while something else is measured.
struct SignInAttempts {
    let door: Population.Seat
    let members: SignInMembers
    let port: UInt16
    let perSecond: Int
    let stop: StopFlag

    /// Goes on for as long as `body` does.
    ///
    /// - Returns: what `body` does, and what came of the attempts.
    func run<Value>(beside body: () throws -> Value) throws -> (Value, SignInOutcome) {
        let (ending, ended) = (StopFlag(), DispatchSemaphore(value: 0))
        let result = Outcome()
        try LoopThread.detach(name: "sign-ins") { [self] in
            let outcome = Result<SignInOutcome, any Error> {
                let fleet = try SignInFleet(door, members, port: port, stop: stop)
                try fleet.run(perSecond: perSecond) { ending.isRaised }
                if let fault = fleet.firstFault { throw LoadError.rejected(fault) }
                return fleet.outcome
            }
            result.value.withLock { $0 = outcome }
            ended.signal()
        }
        let measured = Result { try body() }
        ending.raise()
        ended.wait()
        guard let outcome = result.value.withLock({ $0 }) else { throw LoadError.missing("end") }
        return (try measured.get(), try outcome.get())
    }

    private final class Outcome: Sendable {
        let value = Mutex<Result<SignInOutcome, any Error>?>(nil)
    }
}
