import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore

/// Builds the deliveries of jobs that are due, by the facts of one snapshot. A notification that was read, left or
/// muted since its job was made is dropped.
struct BuildDeliveries {
    /// Of the main database.
    let snapshot: Snapshot
    let pushes: PushSnapshot
    let settings: Settings
    /// The time of day.
    let now: Timestamp

    enum Built {
        case delivery(PushDelivery)
        /// The job, and why it is not sent any more.
        case dropped(PushJob, String)
    }

    func build(_ jobs: [PushJob]) throws -> [Built] {
        let users = Array(Set(jobs.map(\.device.user)))
        let registrations = try snapshot.pushRegistrations.registrations(of: users)
        let badges = try snapshot.unread.counts(users.map { .badge(of: $0, at: now) })
        return try jobs.map { job in
            // The device may have registered again since: its jobs go to the registration of now.
            guard let registration = registrations[job.device.user]?.first(where: { $0.device == job.device }) else {
                return .dropped(job, "the device is not registered any more")
            }
            do {
                let badge = badges[.badge(of: job.device.user, at: now)] ?? 0
                return .delivery(try delivery(of: job, to: registration, badge: badge))
            } catch let reason as NoLonger {
                return .dropped(job, reason.sentence)
            } catch {
                // A row that cannot be read now never will be, and must not hold up other jobs.
                guard !StoreError(error).isPassing else { throw error }
                return .dropped(job, "what it is about cannot be read")
            }
        }
    }

    private func delivery(
        of job: PushJob, to registration: PushRegistration, badge: Int
    ) throws -> PushDelivery {
        let notification = try notification(job, badge)
        return PushDelivery(
            registration: registration.number, target: registration.target,
            notification: content(of: notification, for: registration.target.provider),
            collapse: try collapse(notification, of: job), isUrgent: isUrgent(job), now: now)
    }

    /// Why a notification is not sent any more.
    private struct NoLonger: Error {
        let sentence: String

        static let read = NoLonger(sentence: "read meanwhile")
    }

    private func notification(_ job: PushJob, _ badge: Int) throws -> PushNotification {
        switch job.type {
        case .message: return try message(job, badge)
        case .clear:
            let log = try job.conversation.flatMap(snapshot.pushEvents.log)
            return make(
                job, badge,
                subject: NotificationSubject(conversation: log?.conversation, seq: job.seq, message: job.message),
                epoch: log?.epoch)
        case .digest:
            guard try badge > 0 || snapshot.notifications.unreadCount(of: job.device.user) > 0 else {
                throw NoLonger.read
            }
            return make(job, badge)
        case .test, .wakeUp: return make(job, badge)
        case .feed:
            guard let id = job.notification, let found = try snapshot.pushEvents.unreadNotifications([id])[id] else {
                throw NoLonger.read
            }
            return make(job, badge, actor: found.actor, subject: found.subject)
        }
    }

    private func message(_ job: PushJob, _ badge: Int) throws -> PushNotification {
        guard let message = try snapshot.pushEvents.message(at: job.position) else {
            throw NoLonger(sentence: "deleted or disappeared meanwhile")
        }
        let record = message.record
        let recipient = try snapshot.pushEvents.recipients(
            in: message.conversation, besides: record.sender.user, only: job.device.user)
        // Connections and quiet hours counted when the job was made, and do not now.
        let decision = recipient.first.map { recipient in
            PushRules.decide(PushRules.Facts(message, for: recipient, isUrgent: job.isUrgent, now: now))
        }
        if case .skip(let reason) = decision ?? .skip(.notMember) {
            throw NoLonger(sentence: "no longer: \(reason.rawValue)")
        }
        return make(
            job, badge, actor: record.sender.user,
            subject: NotificationSubject(conversation: record.conversation, seq: record.seq, message: record.id),
            epoch: record.epoch, expiresAt: record.expiresAt,
            // A push service does not learn which other devices there are.
            message: record.withRecipientKeys(only: job.device))
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

    /// The part of a notification that its provider gets. Web Push, APNs and FCM drop what has expired; a webhook keeps
    /// it, and gets no ciphertext of a message that disappears.
    private func content(of notification: PushNotification, for provider: PushProvider) -> PushNotification {
        if provider == .webhook, notification.message?.expiresAt != nil { return notification.reference }
        return switch (settings.contentOfPushes, notification.type.value) {
        case (.message, _), (.reference, .clear?), (.wakeUp, .clear?): notification
        case (.reference, _): notification.reference
        case (.wakeUp, _): notification.wakeUp
        }
    }

    /// The collapse id: a later message of a conversation replaces an earlier one, and a clearance replaces all of them
    /// unless an unread one is displayed.
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
    /// The collapse id of reactions in the conversation: by the conversation's own id one would replace a message.
    fileprivate var ofReactions: ConversationID {
        ConversationID(UUIDValue(high: ~value.high, low: ~value.low))
    }
}
