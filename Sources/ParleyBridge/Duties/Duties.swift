import Logging
import ParleyProtocol
import ParleyStore

/// Everything that time brings, in the order in which it is done.
struct Duties {
    private var list: [any Duty] = [
        KeyChangeDuty(),
        ChallengeDuty(),
        PreviousTokenDuty(),
        ExpiryDuty(),
        FeedRemovalDuty(),
        ChallengeRemovalDuty(),
        DeletedWorkoutRemovalDuty(),
        PushTraceRemovalDuty(),
        InfoDuty(),
        BoardDuty(),
    ]

    /// How long until a part of any is due; `nil` while none is.
    ///
    /// - Parameter hasRoom: whether there is room for what is published.
    func wait(at moment: Moment, hasRoom: Bool) -> Duration? {
        list.compactMap { hasRoom || !type(of: $0).publishes ? $0.wait(at: moment) : nil }.min()
    }

    /// The duty of a type.
    subscript(_ kind: any Duty.Type) -> (any Duty)? { list.first { type(of: $0) == kind } }

    /// Whether a batch is due although there are no requests.
    func isBatchDue(at moment: Moment) -> Bool {
        list.contains { type(of: $0).goesWithBatches && $0.isDue(at: moment) }
    }

    /// The clocks were read.
    mutating func observe(_ moment: Moment) {
        for index in list.indices { list[index].observe(moment) }
    }

    /// Those of which a part is due, to be done in transactions of their own.
    fileprivate func due(at moment: Moment, hasRoom: Bool) -> [any Duty] {
        list.filter { duty in
            let kind = type(of: duty)
            return !kind.goesWithBatches && (hasRoom || !kind.publishes) && duty.isDue(at: moment)
        }
    }

    private mutating func change(_ kind: any Duty.Type, _ body: (inout any Duty) -> Void) {
        for index in list.indices where type(of: list[index]) == kind { body(&list[index]) }
    }

    mutating func update<Work: Duty>(_ kind: Work.Type, _ body: (inout Work) -> Void) {
        change(kind) { duty in
            guard var work = duty as? Work else { return }
            body(&work)
            duty = work
        }
    }

    /// Something of a duty is due at this time.
    mutating func wake(_ kind: any Duty.Type, at time: Timestamp) { change(kind) { $0.wake(at: time) } }
}

// MARK: With a batch

extension Duties {
    /// A part that was done, for its duty when it is committed.
    struct Part {
        fileprivate let duty: any Duty.Type
        /// The duty's `Done`.
        fileprivate let done: Any
        fileprivate let moment: Moment
    }

    /// Does what goes with a batch, behind its requests.
    func run(afterRequestsOf batch: Batch) throws(StoreError) -> [Part] {
        var parts: [Part] = []
        for duty in list {
            if let part = try Duties.run(duty, afterRequestsOf: batch) { parts.append(part) }
        }
        return parts
    }

    mutating func recordCommitted(_ part: Part) {
        change(part.duty) { Duties.record(part, &$0) }
    }

    fileprivate mutating func recordFailure(of kind: any Duty.Type, at moment: Moment) {
        change(kind) { $0.recordFailure(at: moment) }
    }

    /// A batch has failed, with whatever was to be done behind its requests.
    mutating func recordFailedBatch(at moment: Moment) {
        for index in list.indices where type(of: list[index]).goesWithBatches {
            list[index].recordFailure(at: moment)
        }
    }

    private static func run<Work: Duty>(_ duty: Work, afterRequestsOf batch: Batch) throws(StoreError) -> Part? {
        try duty.run(afterRequestsOf: batch).map { Part(duty: Work.self, done: $0, moment: batch.moment) }
    }

    fileprivate static func run<Work: Duty>(_ duty: Work, in batch: Batch) throws(StoreError) -> Part {
        Part(duty: Work.self, done: try duty.run(in: batch), moment: batch.moment)
    }

    private static func record<Work: Duty>(_ part: Part, _ duty: inout Work) {
        if let done = part.done as? Work.Done { duty.recordCommitted(done, at: part.moment) }
    }
}

// MARK: Alone

extension Writer {
    /// Does a part of each duty of which one is due and that goes with no batch, a transaction each.
    ///
    /// - Parameter hasRoom: whether there is room for what is published.
    func runDuties(now: Timestamp, hasRoom: Bool = true) -> Effects {
        duties.observe(moment(now))
        return duties.due(at: moment(now), hasRoom: hasRoom).reduce(into: Effects()) { $0.append(run($1, now: now)) }
    }

    /// Does a part of one of them, if that is due.
    @discardableResult
    func run(_ kind: any Duty.Type, now: Timestamp) -> Effects {
        duties.observe(moment(now))
        guard let duty = duties[kind], duty.isDue(at: moment(now)) else { return Effects() }
        return run(duty, now: now)
    }

    func isDue(_ kind: any Duty.Type, now: Timestamp) -> Bool { wait(for: kind, now: now) == .zero }

    /// How long until a part of one is due; `nil` while none is.
    func wait(for kind: any Duty.Type, now: Timestamp) -> Duration? { duties[kind]?.wait(at: moment(now)) }

    private func run(_ duty: any Duty, now: Timestamp) -> Effects {
        do throws(StoreError) {
            let (part, effects) = try write(now: now) { batch throws(StoreError) in try Duties.run(duty, in: batch) }
            duties.recordCommitted(part)
            counters.batches.add(1)
            report.end("the database can be written again")
            return effects
        } catch {
            counters.failedBatches.add(1)
            report.add(type(of: duty).failure, error)
            duties.recordFailure(of: type(of: duty), at: moment(now))
            return Effects()
        }
    }
}
