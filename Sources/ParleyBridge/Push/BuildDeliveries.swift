import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

/// Makes what is sent of notifications that are due, by the facts of one snapshot: what was read, left or muted since
/// they were decided is not sent any more.
struct BuildDeliveries {
    /// Of the main database.
    let snapshot: Snapshot
    let pushes: PushSnapshot
    let settings: Settings
    /// The time of day.
    let now: Timestamp

    enum Built {
        case delivery(PushDelivery)
        /// Why it is not sent any more.
        case dropped(PushJob, String)
    }

    func build(_ jobs: [PushJob]) throws -> [Built] {
        let users = Array(Set(jobs.map(\.device.user)))
        let registrations = try snapshot.pushRegistrations.registrations(of: users)
        let scopes = users.map { UnreadScope.badge(of: $0, at: now) }
        let badges = try snapshot.unread.counts(scopes)
        return try jobs.map { job in
            // Of a device that has registered anew since, it goes to where that is reached now.
            guard let registration = registrations[job.device.user]?.first(where: { $0.device == job.device }) else {
                return .dropped(job, "the device is not registered any more")
            }
            do {
                return try build(job, registration, badge: badges[.badge(of: job.device.user, at: now)] ?? 0)
            } catch {
                // What cannot be read today cannot be read tomorrow: it must not hold up the others.
                guard !StoreError(error).isPassing else { throw error }
                return .dropped(job, "what it is about cannot be read")
            }
        }
    }

    private func build(_ job: PushJob, _ registration: PushRegistration, badge: Int) throws -> Built {
        switch try notification(job, badge: badge) {
        case .failure(let reason): .dropped(job, reason.sentence)
        case .success(let notification):
            .delivery(
                PushDelivery(
                    registration: registration.number, target: registration.target,
                    notification: shown(notification, to: registration.target.provider),
                    collapse: try collapse(notification, of: job),
                    isUrgent: isUrgent(job), now: now))
        }
    }

    private struct NoLonger: Error {
        let sentence: String

        static let read = NoLonger(sentence: "read meanwhile")
        static let gone = NoLonger(sentence: "deleted or disappeared meanwhile")

        init(_ reason: PushRules.Reason) { sentence = "no longer: \(reason.rawValue)" }

        private init(sentence: String) { self.sentence = sentence }
    }

    private func notification(_ job: PushJob, badge: Int) throws -> Result<PushNotification, NoLonger> {
        switch job.type {
        case .message: try message(job, badge: badge)
        case .clear: .success(try clearance(job, badge: badge))
        case .digest:
            try badge > 0 || snapshot.notifications.unreadCount(of: job.device.user) > 0
                ? .success(make(job, badge)) : .failure(.read)
        case .test, .wakeUp: .success(make(job, badge))
        case .feed:
            if let id = job.notification, let found = try snapshot.pushEvents.unreadNotifications([id])[id] {
                .success(make(job, badge, actor: found.actor, subject: found.subject))
            } else {
                .failure(.read)
            }
        }
    }

    private func clearance(_ job: PushJob, badge: Int) throws -> PushNotification {
        let log = try job.conversation.flatMap(snapshot.pushEvents.log)
        return make(
            job, badge,
            subject: NotificationSubject(conversation: log?.conversation, seq: job.seq, message: job.message),
            epoch: log?.epoch)
    }

    private func message(_ job: PushJob, badge: Int) throws -> Result<PushNotification, NoLonger> {
        guard let message = try snapshot.pushEvents.message(at: job.position) else { return .failure(.gone) }
        let record = message.record
        let recipient = try snapshot.pushEvents.recipients(
            in: message.conversation, besides: record.sender.user, only: job.device.user)
        guard let recipient = recipient.first else { return .failure(NoLonger(.notMember)) }
        // Whether somebody has come online, or their quiet hours have begun since, changes nothing of what was decided.
        let decision = PushRules.decide(
            PushRules.Facts(message, for: recipient, isUrgent: job.isUrgent, now: now))
        if case .skip(let reason) = decision { return .failure(NoLonger(reason)) }
        return .success(
            make(
                job, badge, actor: record.sender.user,
                subject: NotificationSubject(conversation: record.conversation, seq: record.seq, message: record.id),
                epoch: record.epoch, expiresAt: record.expiresAt,
                // Whose other devices there are is nobody's business but the gateway's.
                message: record.withRecipientKeys(only: job.device)))
    }

    private func make(
        _ job: PushJob, _ badge: Int, actor: UserID? = nil, subject: NotificationSubject = NotificationSubject(),
        epoch: String? = nil, expiresAt: Timestamp? = nil, message: MessageRecord? = nil
    ) -> PushNotification {
        let deadline = job.createdAt.advanced(by: settings.pushDeadline)
        return PushNotification(
            id: job.id, type: .known(job.type), user: job.device.user, device: job.device.device, actor: actor,
            subject: subject, epoch: epoch, badge: .counted(badge), badgeAt: now, createdAt: job.createdAt,
            expiresAt: expiresAt.map { min($0, deadline) } ?? deadline, message: message)
    }

    /// What of it a push service is given. Web Push, APNs and FCM drop what has expired; a webhook keeps what it was
    /// given, and gets no ciphertext of a message that is to disappear.
    private func shown(_ notification: PushNotification, to provider: PushProvider) -> PushNotification {
        if provider == .webhook, notification.message?.expiresAt != nil { return notification.reference }
        return switch (settings.contentOfPushes, notification.type.value) {
        case (.message, _), (.reference, .clear?), (.wakeUp, .clear?): notification
        case (.reference, _): notification.reference
        case (.wakeUp, _): notification.wakeUp
        }
    }

    /// A later message of a conversation takes the place of an earlier one; so does what clears it, unless a message is
    /// shown that was not read.
    private func collapse(_ notification: PushNotification, of job: PushJob) throws -> ConversationID? {
        guard settings.contentOfPushes != .wakeUp else { return nil }
        switch job.type {
        case .message: return notification.subject.conversation
        case .clear:
            let displayed = try job.conversation.flatMap { try pushes.displays.seq(to: job.device.user, of: $0) }
            return displayed ?? 0 == 0 && job.message == nil ? notification.subject.conversation : nil
        case .feed(.reaction): return notification.subject.conversation.map(\.ofReactions)
        case .digest, .test, .wakeUp, .feed: return nil
        }
    }

    private func isUrgent(_ job: PushJob) -> Bool {
        switch job.type {
        case .message, .digest, .test, .wakeUp, .feed(.messageRequest): true
        case .clear: false
        case .feed: job.isUrgent
        }
    }
}

extension ConversationID {
    /// What reactions in the conversation replace each other by at a push service: not its id, or a reaction would take
    /// the place of a message.
    fileprivate var ofReactions: ConversationID {
        ConversationID(UUIDValue(high: ~value.high, low: ~value.low))
    }
}
