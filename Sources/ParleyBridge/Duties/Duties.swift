import Logging
import ParleyProtocol
import ParleyStore

/// All duties, in the order in which they run.
struct Duties {
    private let list: [any Duty]

    /// - Parameters:
    ///   - limits: of users, with what queries have used.
    ///   - announcements: from the thread of pushes.
    ///   - mails: for the thread that sends them.
    ///   - clock: `nil` if it is not stored.
    ///   - presence: `nil` if none is published.
    ///   - access: `nil` without an operator device.
    ///   - cells: `nil` of a gateway that is alone.
    ///   - people: for the thread of pushes.
    init(
        lastSeen: LastSeenDuty, limits: UserLimits, published: PublishedPosition, announcements: PushAnnouncements,
        mails: MailOutbox, clock: MachineClock?, presence: PresenceDuty?, access: ReservedDevicesDuty?,
        cells: (any Cells)?, people: ConnectedPeople
    ) {
        let always: [any Duty] = [
            KeyChangeDuty(),
            ChallengeDuty(),
            PreviousTokenDuty(),
            MailDuty(mails),
            AccountExpiryDuty(),
            AccountRemovalDuty(),
            ErasureDuty(),
            ExpiryDuty(),
            RetentionDuty(),
            BlobRemovalDuty(),
            FeedRemovalDuty(),
            ChallengeRemovalDuty(),
            DeletedWorkoutRemovalDuty(),
            LimitRemovalDuty(),
            PushAnnouncementDuty(announcements),
            InfoDuty(isOneOfCells: cells != nil),
            BoardDuty(isOneOfCells: cells != nil),
            lastSeen,
            LimitUsesDuty(limits),
            PublishedMarkDuty(published),
        ]
        let optional: [(any Duty)?] = [
            clock.map { ClockDuty($0) }, presence, access, cells.map { LostSessionDuty($0, people) },
            cells.map { _ in StateDuty() },
        ]
        list = always + optional.compactMap { $0 }
    }

    /// The duty of a type; `nil` if there is none.
    subscript<Work: Duty>(_ kind: Work.Type) -> Work? { list.lazy.compactMap { $0 as? Work }.first }

    func duty(_ kind: any Duty.Type) -> (any Duty)? { list.first { type(of: $0) == kind } }

    /// How long until a part of any is due; `nil` while none is.
    ///
    /// - Parameter hasRoom: whether there is room to publish.
    func wait(at moment: Moment, hasRoom: Bool) -> Duration? {
        list.compactMap { hasRoom || !type(of: $0).publishes ? $0.wait(at: moment) : nil }.min()
    }

    /// Whether a batch is due without requests.
    func isBatchDue(at moment: Moment, hasRoom: Bool) -> Bool {
        list.contains { type(of: $0).goesWithBatches && $0.isDue(at: moment, hasRoom: hasRoom) }
    }

    /// Whether a batch now has parts that other gateways may do, too.
    func hasSharedParts(at moment: Moment) -> Bool {
        list.contains {
            type(of: $0).goesWithBatches && type(of: $0).sharedWork != nil && $0.isDue(at: moment, hasRoom: true)
        }
    }

    /// Other gateways may have left work: each duty looks for it.
    func lookAgain() { for duty in list { duty.lookAgain() } }

    /// The clocks were read.
    func observe(_ moment: Moment) { for duty in list { duty.observe(moment) } }

    /// The duties with a part due in a transaction of its own.
    fileprivate func due(at moment: Moment, hasRoom: Bool) -> [any Duty] {
        list.filter { !type(of: $0).goesWithBatches && $0.isDue(at: moment, hasRoom: hasRoom) }
    }
}

extension Duty {
    /// - Parameter hasRoom: whether there is room to publish.
    fileprivate func isDue(at moment: Moment, hasRoom: Bool) -> Bool {
        (hasRoom || !Self.publishes) && isDue(at: moment)
    }
}

// MARK: Waking

extension Duties {
    /// The duties that a transaction makes due.
    struct Wakes {
        fileprivate var list: [(duty: any Duty.Type, wake: Any)] = []

        subscript<Work: Duty>(_ kind: Work.Type) -> Work.Wake? {
            list.first { $0.duty == kind }?.wake as? Work.Wake
        }

        /// Changes it in place: it is removed meanwhile, so that nothing of it is copied.
        mutating func update<Work: Duty>(
            _ kind: Work.Type, from initial: Work.Wake, _ change: (inout Work.Wake) -> Void
        ) {
            let index = list.firstIndex { $0.duty == kind }
            var wake = index.flatMap { list.remove(at: $0).wake as? Work.Wake } ?? initial
            change(&wake)
            list.append((kind, wake))
        }
    }

    /// The transaction is committed.
    func wake(_ wakes: Wakes) {
        for (kind, wake) in wakes.list { if let duty = self[kind] { Duties.wake(duty, wake) } }
    }

    private static func wake<Work: Duty>(_ duty: Work, _ wake: Any) {
        if let wake = wake as? Work.Wake { duty.wake(wake) }
    }
}

// MARK: With a batch

extension Duties {
    /// Records a finished part when it is committed.
    typealias Part = () -> Void

    /// Runs the duties that go with a batch, behind its requests.
    func run(afterRequestsOf batch: Batch) throws(StoreError) -> [Part] {
        var parts: [Part] = []
        for duty in list { if let part = try Duties.run(duty, afterRequestsOf: batch) { parts.append(part) } }
        return parts
    }

    /// A batch has failed, with the parts behind its requests.
    func recordFailedBatch(at moment: Moment) {
        for duty in list where type(of: duty).goesWithBatches { duty.recordFailure(at: moment) }
    }

    private static func run<Work: Duty>(_ duty: Work, afterRequestsOf batch: Batch) throws(StoreError) -> Part? {
        try duty.run(afterRequestsOf: batch).map { part(duty, $0, batch.moment) }
    }

    fileprivate static func run<Work: Duty>(_ duty: Work, in batch: Batch) throws(StoreError) -> Part {
        part(duty, try duty.run(in: batch), batch.moment)
    }

    private static func part<Work: Duty>(_ duty: Work, _ done: Work.Done, _ moment: Moment) -> Part {
        { duty.recordCommitted(done, at: moment) }
    }
}

// MARK: Alone

extension Writer {
    /// Runs a part of each due duty that goes with no batch, a transaction each.
    ///
    /// - Parameter hasRoom: whether there is room to publish.
    func runDuties(now: Timestamp, hasRoom: Bool = true) -> Effects {
        duties.observe(moment(now))
        return duties.due(at: moment(now), hasRoom: hasRoom).reduce(into: Effects()) { $0.append(run($1, now: now)) }
    }

    /// Runs a part of a duty, if it is due.
    @discardableResult
    func run(_ kind: any Duty.Type, now: Timestamp) -> Effects {
        guard let duty = duties.duty(kind) else { return Effects() }
        return run(due: duty, now: now)
    }

    /// Runs a part of a duty, if it is due.
    func run(due duty: any Duty, now: Timestamp) -> Effects {
        duty.observe(moment(now))
        return duty.isDue(at: moment(now)) ? run(duty, now: now) : Effects()
    }

    func isDue(_ kind: any Duty.Type, now: Timestamp) -> Bool { wait(for: kind, now: now) == .zero }

    /// How long until a part of one is due; `nil` while none is.
    func wait(for kind: any Duty.Type, now: Timestamp) -> Duration? { duties.duty(kind)?.wait(at: moment(now)) }

    private func run(_ duty: any Duty, now: Timestamp) -> Effects {
        do throws(StoreError) {
            let (part, effects) = try repeating { alone throws(StoreError) in
                let isolation = alone ? Isolation.alone : .serializable
                return try write(now: now, isolation: isolation) { batch throws(StoreError) -> Duties.Part? in
                    try batch.claim(type(of: duty).sharedWork) ? Duties.run(duty, in: batch) : nil
                }
            }
            if let part { part() } else { duty.recordFailure(at: moment(now)) }
            counters.batches.add(1)
            report.end("the database can be written again")
            readiness.recordDatabase(isWritable: true)
            return effects
        } catch {
            duty.recordFailure(at: moment(now))
            if case .conflict = error {
                counters.conflicts.add(1)
            } else {
                counters.failedBatches.add(1)
                report.add(type(of: duty).failure, error)
                readiness.recordDatabase(isWritable: false)
            }
            return Effects()
        }
    }
}
