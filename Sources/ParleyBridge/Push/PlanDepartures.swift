import ParleyProtocol
import ParleyRules
import ParleyStore

/// Departures: users whose last connection has ended, and messages that they have not received.
extension PushPlanner {
    /// How late the plugin's report of an ended connection comes.
    static let reportDelay = Duration.milliseconds(250)
    /// The most conversations that are looked at, and messages of each.
    private static let mostUndelivered = 50

    /// Decides as much as goes into one plan. A departure with more undelivered messages stays the first of the next.
    func decide(_ departures: [ConnectedPeople.Departure], steps: Int64, into plan: inout PushPlan) throws {
        var seen: Set<UserID> = []
        // Each decision leaves a trace, by which the next plan skips it.
        let most = plan.traces.count + PushPlanner.noticesAtOnce
        for departure in departures {
            guard plan.notices.count < PushPlanner.noticesAtOnce else { return }
            if !people.contains(departure.user), seen.insert(departure.user).inserted {
                do {
                    try decide(departure, steps: steps, most: most, into: &plan)
                } catch {
                    guard !StoreError(error).isPassing else { throw error }
                    plan.undecidable += 1
                }
            }
            guard plan.traces.count < most else { return }
            plan.departures += 1
        }
    }

    /// - Parameter most: the number of the plan's traces at which it ends.
    private func decide(
        _ departure: ConnectedPeople.Departure, steps: Int64, most: Int, into plan: inout PushPlan
    ) throws {
        // Messages from before the broker noticed that the connection is dead, and that no device acknowledged.
        let since = departure.at.advanced(by: .zero - ConnectedPeople.longestUnnoticed)
        let left = departure.at.advanced(by: .zero - PushPlanner.reportDelay)
        let undelivered = try snapshot.pushEvents.undelivered(
            to: departure.user, since: since, limit: PushPlanner.mostUndelivered)
        for one in undelivered where one.acknowledges || one.createdAt >= left {
            guard plan.traces.count < most else { return }
            let isUrgent: Bool
            switch try earlierDecision(on: one, for: departure.user, plan) {
            case .none: isUrgent = false
            case .connectedForUrgent: isUrgent = true
            case .other: continue
            }
            guard let message = try snapshot.pushEvents.message(at: one.position) else { continue }
            let origin = PushPlan.Origin(
                position: one.position, createdAt: one.createdAt,
                steadyAt: one.createdAt.advanced(byMilliseconds: -steps))
            try decide(message, origin, isUrgent: isUrgent, only: departure.user, into: &plan)
        }
        // No device acknowledges items of a feed: those since the first message that was not received were not
        // received either.
        let unreceived = undelivered.filter(\.acknowledges).map(\.createdAt).min()
        try decideFeed(
            of: departure.user, since: min(left, unreceived ?? left), steps: steps, most: most, into: &plan)
    }

    /// Items of a feed whose user seemed to be connected.
    private func decideFeed(
        of user: UserID, since time: Timestamp, steps: Int64, most: Int, into plan: inout PushPlan
    ) throws {
        let found = try snapshot.pushEvents.unreadNotifications(
            of: user, since: time, limit: PushPlanner.mostUndelivered)
        for notification in found.reversed() where plan.traces.count < most {
            guard let trace = try pushes.traces.trace(of: notification.id),
                trace.decision == PushRules.Reason.connected.rawValue
            else { continue }
            let created = notification.createdAt
            let origin = PushPlan.Origin(
                position: try snapshot.outbox.lastPosition(), createdAt: created,
                steadyAt: created.advanced(byMilliseconds: -steps))
            try decide(notification.id, of: user, origin, into: &plan)
        }
    }

    private enum EarlierDecision {
        case none
        /// They seemed to be connected: of an urgent message a trace of that is kept.
        case connectedForUrgent
        /// It was decided, or the message's event is still to be.
        case other
    }

    private func earlierDecision(
        on undelivered: PushEventQueries.Undelivered, for user: UserID, _ plan: PushPlan
    ) throws -> EarlierDecision {
        let id = NotificationID.push(.message, about: undelivered.message, for: user, device: nil)
        guard !plan.traces.contains(where: { $0.id == id }),
            try !snapshot.pushEvents.isUndecided(undelivered.position)
        else { return .other }
        guard let trace = try pushes.traces.trace(of: id) else { return .none }
        return trace.decision == PushRules.Reason.connected.rawValue ? .connectedForUrgent : .other
    }
}
