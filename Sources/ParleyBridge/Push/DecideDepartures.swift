import ParleyProtocol
import ParleyRules
import ParleyStore

/// Who has left, and what was sent to them that they have not received.
extension DecidePushes {
    /// The broker finds out that a connection is dead only after a while. What was sent meanwhile and was not received is
    /// decided when it has.
    static let longestUnnoticed = Duration.seconds(720)
    /// How late the plugin notices that a connection has ended, and its report comes.
    static let reportDelay = Duration.milliseconds(250)
    /// The most conversations that are looked at, and messages of each.
    private static let mostUndelivered = 50

    func decide(_ departures: [ConnectedPeople.Departure], steps: Int64, into posting: inout PushPosting) throws {
        var seen: Set<UserID> = []
        for departure in departures where !people.contains(departure.user) && seen.insert(departure.user).inserted {
            do {
                try decide(departure, steps: steps, into: &posting)
            } catch {
                guard !StoreError(error).isPassing else { throw error }
                posting.undecidable += 1
            }
        }
    }

    private func decide(
        _ departure: ConnectedPeople.Departure, steps: Int64, into posting: inout PushPosting
    ) throws {
        let since = departure.at.advanced(by: .zero - DecidePushes.longestUnnoticed)
        let left = departure.at.advanced(by: .zero - DecidePushes.reportDelay)
        let undelivered = try snapshot.pushEvents.undelivered(
            to: departure.user, since: since, limit: DecidePushes.mostUndelivered)
        for one in undelivered where one.acknowledges || one.createdAt >= left {
            guard let message = try snapshot.pushEvents.message(at: one.position),
                try !isDecided(message, at: one.position, for: departure.user, posting)
            else { continue }
            let created = message.record.createdAt
            let event = PushEvent(
                position: one.position,
                subject: .message(message.conversation, seq: message.record.seq, isUrgent: false),
                createdAt: created, steadyAt: created.advanced(byMilliseconds: -steps))
            try decide(message, event, isUrgent: false, only: departure.user, into: &posting)
        }
        // Nobody says to have received what comes into a feed: what went with messages that were not received was not either.
        let unreceived = undelivered.filter(\.acknowledges).map(\.createdAt).min()
        try decideFeed(of: departure.user, since: min(left, unreceived ?? left), steps: steps, into: &posting)
    }

    /// What has come into the feed of somebody who was taken to be connected.
    private func decideFeed(
        of user: UserID, since time: Timestamp, steps: Int64, into posting: inout PushPosting
    ) throws {
        let found = try snapshot.pushEvents.unreadNotifications(
            of: user, since: time, limit: DecidePushes.mostUndelivered)
        for notification in found.reversed() {
            guard let trace = try snapshot.pushTraces.trace(of: notification.id),
                trace.decision == PushRules.Reason.connected.rawValue
            else { continue }
            let created = notification.createdAt
            let event = PushEvent(
                position: try snapshot.outbox.lastPosition(), subject: .feed(notification.id, of: user),
                createdAt: created, steadyAt: created.advanced(byMilliseconds: -steps))
            try decide(notification.id, of: user, event, into: &posting)
        }
    }

    /// Whether it was decided before, or is to be by what was noted of it.
    private func isDecided(
        _ message: PushMessage, at position: StreamPosition, for user: UserID, _ posting: PushPosting
    ) throws -> Bool {
        let id = id(.message, about: message.record.id, for: user, device: nil)
        return try posting.traces.contains { $0.id == id } || snapshot.pushTraces.trace(of: id) != nil
            || snapshot.pushTraces.isUndecided(position)
    }
}
