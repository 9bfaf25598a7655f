import ParleyProtocol
import ParleyStore

/// Clearances: devices stop displaying notifications.
extension PushPlanner {
    /// A conversation was read up to a message on another device, or counts no more.
    func clear(
        _ conversation: ConversationKey, seq: Int, of user: UserID, besides device: DeviceID?,
        _ origin: PushPlan.Origin, into plan: inout PushPlan
    ) throws {
        guard let log = try snapshot.pushEvents.log(of: conversation) else { return }
        let registrations = try snapshot.pushRegistrations.registrations(of: [user])[user] ?? []
        let badge = try snapshot.unread.count(.badge(of: user, at: now))
        add(
            origin, of: user, conversation, log, seq: seq, badge: badge,
            registrations.filter { $0.device.device != device }, to: &plan)
    }

    /// A message was deleted or has disappeared. It alone is cleared where others of its conversation are unread.
    func clearRemoved(
        _ seq: Int, of conversation: ConversationKey, _ origin: PushPlan.Origin, into plan: inout PushPlan
    ) throws {
        guard let removed = try snapshot.pushEvents.removed(at: seq, in: conversation),
            let log = try snapshot.pushEvents.log(of: conversation)
        else { return }
        let unread = try snapshot.pushEvents.recipients(in: conversation, besides: removed.sender)
            .filter { seq > max($0.readSeq, $0.joinedSeq) }
        let displaying = try pushes.displays.users(among: unread.map(\.user))
        let members = unread.filter { displaying.contains($0.user) }
        guard !members.isEmpty else { return }
        let badges = try snapshot.unread.counts(members.map { .badge(of: $0.user, at: now) })
        let registrations = try snapshot.pushRegistrations.registrations(of: members.map(\.user))
        for member in members {
            let (place, message): (Int, MessageID?)
            if try snapshot.unread.count(of: member.user, in: conversation) == 0 {
                let shownSeq = try pushes.displays.seq(to: member.user, of: conversation) ?? 0
                (place, message) = (max(seq, shownSeq), nil)
                // One clearance is enough for messages that disappear together.
                guard !plan.clearances.contains(where: { $0.covers(place, of: conversation, for: member.user) })
                else { continue }
            } else {
                (place, message) = (max(member.readSeq, member.joinedSeq), removed.message)
            }
            add(
                origin, of: member.user, conversation, log, seq: place, message: message,
                badge: badges[.badge(of: member.user, at: now)] ?? 0, registrations[member.user] ?? [], to: &plan)
        }
    }

    private func add(
        _ origin: PushPlan.Origin, of user: UserID, _ conversation: ConversationKey, _ log: PushEventQueries.Log,
        seq: Int,
        message: MessageID? = nil, badge: Int, _ registrations: [PushRegistration], to plan: inout PushPlan
    ) {
        // Another clearance of this plan may bring the badge to the same devices.
        let isBadgeSent =
            lastBadges[user].map { $0 <= badge } ?? false
            || plan.clearances.contains { $0.user == user && $0.badge == badge && $0.reaches(registrations) }
        plan.clearances.append(
            PushPlan.Clearance(
                user: user, conversation: conversation, log: log, seq: seq, message: message, badge: badge,
                isBadgeSent: isBadgeSent, origin: origin,
                devices: registrations.map { (NotificationID(.ordered(at: now)), $0) }))
    }
}

extension PushPlan.Clearance {
    func notification(at now: Timestamp, lifetime: Duration) -> PushNotification {
        PushNotification(
            id: NotificationID(.ordered(at: now)), type: .known(.clear), user: user, device: nil,
            subject: NotificationSubject(conversation: log.conversation, seq: seq, message: message), epoch: log.epoch,
            badge: .counted(badge), badgeAt: now, createdAt: origin.createdAt,
            expiresAt: origin.createdAt.advanced(by: lifetime))
    }

    fileprivate func reaches(_ registrations: [PushRegistration]) -> Bool {
        registrations.allSatisfy { one in devices.contains { $0.registration.device == one.device } }
    }

    fileprivate func covers(_ place: Int, of conversation: ConversationKey, for user: UserID) -> Bool {
        self.user == user && self.conversation == conversation && message == nil && seq >= place
    }
}
