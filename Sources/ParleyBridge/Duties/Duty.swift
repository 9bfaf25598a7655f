import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Work that time brings: done in bounded parts, in transactions of the writer's.
///
/// A duty knows when its next part is due, and changes only when a part is committed or has failed. It sees a batch and
/// the moment, never the writer. All of them stand in ``Duties``. Confined to the writer's thread.
protocol Duty: AnyObject {
    /// The result of a part.
    associatedtype Done = NextPart
    /// The message by which a transaction makes it due.
    associatedtype Wake = Timestamp

    /// The log message when a part fails.
    static var failure: Logger.Message { get }
    /// From a part that failed to the next attempt.
    static var pauseAfterFailure: Duration { get }
    /// Whether it publishes events: then it waits while the publisher has no room.
    static var publishes: Bool { get }
    /// Whether its parts are done in the transactions of batches, behind the requests, and not in its own. It may
    /// publish.
    static var goesWithBatches: Bool { get }

    /// The work that every gateway on the database finds there; `nil` for work that only this one has. A part is done
    /// by whoever claims it first; the others look again after a pause.
    static var sharedWork: SharedWork? { get }

    /// How long until a part is due; `nil` while none is.
    func wait(at moment: Moment) -> Duration?

    /// A transaction was committed that makes this due.
    func wake(_ wake: Wake)

    /// Other gateways may have left work of this kind: it is due to be looked for.
    func lookAgain()

    /// The clocks were read. Called before it is asked whether it is due.
    func observe(_ moment: Moment)

    func run(in batch: Batch) throws(StoreError) -> Done

    /// Does the work that follows from the requests of a batch, in their transaction; `nil` without such work.
    func run(afterRequestsOf batch: Batch) throws(StoreError) -> Done?

    /// A part is committed.
    func recordCommitted(_ done: Done, at moment: Moment)

    /// A transaction with a part has failed, or another gateway does the work: the duty is as due as before.
    func recordFailure(at moment: Moment)
}

extension Duty {
    static var pauseAfterFailure: Duration { Pace.pauseAfterFailure }
    static var publishes: Bool { goesWithBatches }
    static var goesWithBatches: Bool { false }

    func isDue(at moment: Moment) -> Bool { wait(at: moment) == .zero }

    func lookAgain() {}

    func observe(_ moment: Moment) {}

    func run(afterRequestsOf batch: Batch) throws(StoreError) -> Done? { nil }
}

extension Duty where Wake == Never {
    func wake(_ wake: Never) {}
}

typealias Moment = GatewayClock.Moment

// MARK: By one schedule

/// A duty that is due at one time.
protocol ScheduledDuty: Duty where Wake == Timestamp {
    var schedule: DutySchedule { get set }
}

extension ScheduledDuty {
    func wait(at moment: Moment) -> Duration? { schedule.wait(at: moment.steady) }

    func wake(_ time: Timestamp) { schedule.wake(at: time) }

    func lookAgain() { schedule.wake(at: .earliest) }

    func recordFailure(at moment: Moment) {
        schedule.recordFailure(pause: Self.pauseAfterFailure, at: moment.steady)
    }

    /// A part of one that goes with batches, if that is due, also by what the batch itself has done.
    func run(afterRequestsOf batch: Batch) throws(StoreError) -> Done? {
        guard Self.goesWithBatches else { return nil }
        var schedule = schedule
        if let time = batch.afterCommit.wakes[Self.self] { schedule.wake(at: time) }
        guard schedule.isDue(at: batch.steady) else { return nil }
        guard try batch.claim(Self.sharedWork) else {
            recordFailure(at: batch.moment)
            return nil
        }
        return try run(in: batch)
    }
}

extension ScheduledDuty where Done == NextPart {
    func recordCommitted(_ next: NextPart, at moment: Moment) {
        schedule.recordCommitted(next, at: moment.steady)
    }
}

/// When a duty goes on after a part.
struct NextPart {
    /// When the rest is due, by the steady time; `nil` if nothing is left.
    let dueAt: Timestamp?
    /// The least pause.
    let pause: Duration
}

/// When the next part of a duty is due. All times are steady ones.
struct DutySchedule {
    /// No later than the next work; `nil` if none is known. At first, an earlier process may have left work.
    private var dueAt: Timestamp? = .earliest
    private var pace = Pace()

    mutating func wake(at time: Timestamp) { dueAt = min(dueAt ?? time, time) }

    /// How long until the next part is due; `nil` while none is.
    func wait(at steady: Timestamp) -> Duration? { dueAt.map { pace.wait(until: $0, now: steady) } }

    func isDue(at steady: Timestamp) -> Bool { wait(at: steady) == .zero }

    /// A part is committed.
    mutating func recordCommitted(_ next: NextPart, at steady: Timestamp) {
        dueAt = next.dueAt
        pace.rest(for: next.pause, from: steady)
    }

    mutating func recordFailure(pause: Duration, at steady: Timestamp) { pace.rest(for: pause, from: steady) }
}
