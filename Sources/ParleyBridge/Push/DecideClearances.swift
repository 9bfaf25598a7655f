import ParleyProtocol
import ParleyStore

/// What devices show and are to show no more.
extension DecidePushes {
    /// What is shown up to a place was read on another device, or counts no more.
    func clear(
        _ conversation: ConversationKey, seq: Int, of user: UserID, besides device: DeviceID?, _ event: PushEvent,
        into posting: inout PushPosting
    ) throws {
        guard let log = try snapshot.pushEvents.log(of: conversation) else { return }
        let registrations = try snapshot.pushRegistrations.registrations(of: [user])[user] ?? []
        let badge = try snapshot.unread.count(.badge(of: user, at: now))
        add(
            event, of: user, conversation, log, seq: seq, number: badge,
            registrations.filter { $0.device.device != device }, to: &posting)
    }

    /// A message is gone. Where others of its conversation are unread these stay as they are shown, and it alone is taken away.
    func takeAway(
        _ seq: Int, of conversation: ConversationKey, _ event: PushEvent, into posting: inout PushPosting
    ) throws {
        guard let removed = try snapshot.pushEvents.removed(at: seq, in: conversation),
            let log = try snapshot.pushEvents.log(of: conversation)
        else { return }
        let shown = try snapshot.pushJobs.membersShown(of: conversation)
        let members = try snapshot.pushEvents.recipients(in: conversation, besides: removed.sender)
            .filter { shown.contains($0.user) && seq > max($0.readSeq, $0.joinedSeq) }
        guard !members.isEmpty else { return }
        let badges = try snapshot.unread.counts(members.map { .badge(of: $0.user, at: now) })
        let registrations = try snapshot.pushRegistrations.registrations(of: members.map(\.user))
        for member in members {
            let (place, message): (Int, MessageID?)
            if try snapshot.unread.count(of: member.user, in: conversation) == 0 {
                let shownSeq = try snapshot.pushJobs.shown(to: member.user, of: conversation) ?? 0
                (place, message) = (max(seq, shownSeq), nil)
                // Many that disappear together are told of once.
                guard !posting.clearances.contains(where: { $0.covers(place, of: conversation, for: member.user) })
                else { continue }
            } else {
                (place, message) = (max(member.readSeq, member.joinedSeq), removed.message)
            }
            add(
                event, of: member.user, conversation, log, seq: place, message: message,
                number: badges[.badge(of: member.user, at: now)] ?? 0, registrations[member.user] ?? [], to: &posting)
        }
    }

    private func add(
        _ event: PushEvent, of user: UserID, _ conversation: ConversationKey, _ log: PushEventQueries.Log, seq: Int,
        message: MessageID? = nil, number: Int, _ registrations: [PushRegistration], to posting: inout PushPosting
    ) {
        // Another clearance of this posting may tell the same devices.
        let isNumberTold =
            told[user].map { $0 <= number } ?? false
            || posting.clearances.contains { $0.user == user && $0.number == number && $0.reaches(registrations) }
        posting.clearances.append(
            PushPosting.Clearance(
                user: user, conversation: conversation, log: log, seq: seq, message: message, number: number,
                isNumberTold: isNumberTold, position: event.position, createdAt: event.createdAt,
                steadyAt: event.steadyAt, devices: registrations.map { (NotificationID(.ordered(at: now)), $0) }))
    }
}

extension PushPosting.Clearance {
    /// As devices are told of it.
    func notification(at now: Timestamp, lifetime: Duration) -> PushNotification {
        PushNotification(
            id: NotificationID(.ordered(at: now)), type: .known(.clear), user: user, device: nil,
            subject: NotificationSubject(conversation: log.conversation, seq: seq, message: message), epoch: log.epoch,
            badge: .counted(number), badgeAt: now, createdAt: createdAt, expiresAt: createdAt.advanced(by: lifetime))
    }

    fileprivate func reaches(_ registrations: [PushRegistration]) -> Bool {
        registrations.allSatisfy { one in devices.contains { $0.registration.device == one.device } }
    }

    fileprivate func covers(_ place: Int, of conversation: ConversationKey, for user: UserID) -> Bool {
        self.user == user && self.conversation == conversation && message == nil && seq >= place
    }
}
