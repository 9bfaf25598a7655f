import ParleyProtocol
import ParleyRules
import ParleyStore

/// Who has left, and what was sent to them that they have not received.
extension PushPlanner {
    /// The broker finds out that a connection is dead only after a while. What was sent meanwhile and was not received
    /// is decided when it has.
    static let longestUnnoticed = Duration.seconds(720)
    /// How late the plugin notices that a connection has ended, and its report comes.
    static let reportDelay = Duration.milliseconds(250)
    /// The most conversations that are looked at, and messages of each.
    private static let mostUndelivered = 50

    /// Decides of as many as go into one plan.
    func decide(_ departures: [ConnectedPeople.Departure], steps: Int64, into plan: inout PushPlan) throws {
        var seen: Set<UserID> = []
        for departure in departures {
            guard plan.notices.count < PushPlanner.noticesAtOnce else { return }
            plan.departures += 1
            guard !people.contains(departure.user), seen.insert(departure.user).inserted else { continue }
            do {
                try decide(departure, steps: steps, into: &plan)
            } catch {
                guard !StoreError(error).isPassing else { throw error }
                plan.undecidable += 1
            }
        }
    }

    private func decide(
        _ departure: ConnectedPeople.Departure, steps: Int64, into plan: inout PushPlan
    ) throws {
        let since = departure.at.advanced(by: .zero - PushPlanner.longestUnnoticed)
        let left = departure.at.advanced(by: .zero - PushPlanner.reportDelay)
        let undelivered = try snapshot.pushEvents.undelivered(
            to: departure.user, since: since, limit: PushPlanner.mostUndelivered)
        for one in undelivered where one.acknowledges || one.createdAt >= left {
            guard let message = try snapshot.pushEvents.message(at: one.position) else { continue }
            let isUrgent: Bool
            switch try earlierDecision(on: message, at: one.position, for: departure.user, plan) {
            case .none: isUrgent = false
            case .connectedForUrgent: isUrgent = true
            case .other: continue
            }
            let created = message.record.createdAt
            let event = PushEvent(
                position: one.position,
                subject: .message(message.conversation, seq: message.record.seq, isUrgent: isUrgent),
                createdAt: created, steadyAt: created.advanced(byMilliseconds: -steps))
            try decide(message, event, isUrgent: isUrgent, only: departure.user, into: &plan)
        }
        // Nobody says to have received what comes into a feed: what went with messages that were not received was not
        // either.
        let unreceived = undelivered.filter(\.acknowledges).map(\.createdAt).min()
        try decideFeed(of: departure.user, since: min(left, unreceived ?? left), steps: steps, into: &plan)
    }

    /// What has come into the feed of somebody who was taken to be connected.
    private func decideFeed(
        of user: UserID, since time: Timestamp, steps: Int64, into plan: inout PushPlan
    ) throws {
        let found = try snapshot.pushEvents.unreadNotifications(
            of: user, since: time, limit: PushPlanner.mostUndelivered)
        for notification in found.reversed() {
            guard let trace = try pushes.traces.trace(of: notification.id),
                trace.decision == PushRules.Reason.connected.rawValue
            else { continue }
            let created = notification.createdAt
            let event = PushEvent(
                position: try snapshot.outbox.lastPosition(), subject: .feed(notification.id, of: user),
                createdAt: created, steadyAt: created.advanced(byMilliseconds: -steps))
            try decide(notification.id, of: user, event, into: &plan)
        }
    }

    private enum EarlierDecision {
        case none
        /// They were taken to be connected, of which a trace is kept where the message is urgent.
        case connectedForUrgent
        /// Whether to notify was decided, or is to be by the message's event.
        case other
    }

    private func earlierDecision(
        on message: PushMessage, at position: StreamPosition, for user: UserID, _ plan: PushPlan
    ) throws -> EarlierDecision {
        let id = id(.message, about: message.record.id, for: user, device: nil)
        guard !plan.traces.contains(where: { $0.id == id }), try !snapshot.pushEvents.isUndecided(position)
        else { return .other }
        guard let trace = try pushes.traces.trace(of: id) else { return .none }
        return trace.decision == PushRules.Reason.connected.rawValue ? .connectedForUrgent : .other
    }
}
