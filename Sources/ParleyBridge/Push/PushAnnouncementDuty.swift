import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Carries out the plans of the thread of pushes in the main database, and ends registrations that a push service no
/// longer knows.
final class PushAnnouncementDuty: Duty {
    typealias Wake = Never
    static let failure: Logger.Message = "what is planned of notifications could not be published"
    static let sharedWork: SharedWork? = nil
    static let publishes = true

    let announcements: PushAnnouncements
    private var pace = Pace()

    init(_ announcements: PushAnnouncements) { self.announcements = announcements }

    func wait(at moment: Moment) -> Duration? {
        announcements.waiting.flatMap { _ in pace.wait(until: .earliest, now: moment.steady) }
    }

    func run(in batch: Batch) throws(StoreError) -> PushAnnouncement.Result {
        guard let announcement = announcements.waiting else { return PushAnnouncement.Result() }
        var result = PushAnnouncement.Result()
        if let plan = announcement.plan {
            try carryOut(plan, in: batch)
            result.plan = plan.number
        }
        for end in announcement.ends {
            let (ended, push) = try batch.writable().end(end, at: batch.now)
            if let push { try batch.publish(push) }
            result.ends.append((end, ended))
        }
        return result
    }

    func recordCommitted(_ result: PushAnnouncement.Result, at moment: Moment) {
        announcements.recordCommitted(result)
    }

    func recordFailure(at moment: Moment) { pace.rest(for: Self.pauseAfterFailure, from: moment.steady) }

    private func carryOut(_ plan: PushAnnouncement.Plan, in batch: Batch) throws(StoreError) {
        let open = try batch.writable().pushLink.carryOut(
            plan.number, through: plan.decidedThrough, plan.announcements)
        guard !open.isEmpty else { return }
        let due = try batch.facts().dueEntries(
            plan.topics.compactMap { topic in
                topic.entry.map { (topic.notification.user, $0) }
            })
        for topic in plan.topics where open.contains(topic.notification.id) {
            let user = topic.notification.user
            guard topic.entry.map({ due.contains(PushPlan.Target(user: user, entry: $0)) }) ?? true else { continue }
            try batch.publish(topic.notification, unread: .badge(of: user, at: batch.now))
        }
        for clearance in plan.clearances where open.contains(clearance.id) {
            let event = NotificationsCleared(
                ids: [], conversation: clearance.log.conversation, epoch: clearance.log.epoch, seq: clearance.seq,
                unreadCount: try batch.facts().notifications.unreadCount(of: clearance.user), badge: .countedLater,
                at: batch.now)
            try batch.publish(event, to: clearance.user, unread: .badge(of: clearance.user, at: batch.now))
        }
    }
}

extension PushAnnouncement.Plan {
    /// The ids of all that it publishes.
    fileprivate var announcements: [NotificationID] { topics.map(\.notification.id) + clearances.map(\.id) }
}

extension WriteTransaction {
    /// Ends a registration that a push service no longer knows, unless the device has registered again.
    ///
    /// - Returns: the result, and the event for the user.
    func end(
        _ end: PushAnnouncement.End, at now: Timestamp
    ) throws(StoreError) -> (PushAnnouncement.EndResult, PushEnd?) {
        let device = end.job.device
        if try pushRegistrations.end(end.registration, of: device, since: end.since, at: now) {
            let event = PushEnd(device: device, provider: .known(end.job.provider), reason: .known(.gone), at: now)
            return (.ended, event)
        }
        guard let registration = try facts.pushRegistrations.registration(of: device) else { return (.wasEnded, nil) }
        return (registration.number == end.registration ? .remains : .replaced, nil)
    }
}
