import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore
import Sodium

/// Decides whom to notify of what has happened, by the facts of one snapshot.
struct DecidePushes {
    let snapshot: Snapshot
    let settings: Settings
    let people: ConnectedPeople
    /// The time of day.
    let now: Timestamp
    /// How many unread messages devices show at most, as far as that is known.
    var told: [UserID: Int] = [:]

    /// The most events that are decided at once.
    static let eventsAtOnce = 64
    /// No further event is decided with so many to be notified, or told of what is gone: messages wait for the transaction that
    /// writes them.
    static let noticesAtOnce = 64

    // MARK: What was noted

    /// - Returns: whether that was all of them.
    func decide(_ events: [PushEvent], into posting: inout PushPosting) throws -> Bool {
        for event in events {
            guard posting.notices.count + posting.clearances.count < DecidePushes.noticesAtOnce else { return false }
            do {
                try decide(event, into: &posting)
            } catch {
                // What cannot be read today cannot be read tomorrow: it must not hold up the others.
                guard !StoreError(error).isPassing else { throw error }
                posting.undecidable += 1
            }
            if let key = event.key { posting.decided.append(key) }
        }
        return true
    }

    private func decide(_ event: PushEvent, into posting: inout PushPosting) throws {
        switch event.subject {
        case .message(_, _, let isUrgent):
            guard let message = try snapshot.pushEvents.message(at: event.position) else { return }
            try decide(message, event, isUrgent: isUrgent, into: &posting)
        case .clearing(let conversation, let seq, let user, let device):
            try clear(conversation, seq: seq, of: user, besides: device, event, into: &posting)
        case .removal(let conversation, let seq): try takeAway(seq, of: conversation, event, into: &posting)
        case .feed(let notification, let user):
            try decide(notification, of: user, event, into: &posting)
        }
    }

    /// - Parameter only: the one member that it is decided for; `nil` for all.
    func decide(
        _ message: PushMessage, _ event: PushEvent, isUrgent: Bool, only: UserID? = nil, into posting: inout PushPosting
    ) throws {
        let record = message.record
        let recipients = try snapshot.pushEvents.recipients(in: message.conversation, besides: record.sender.user)
            .filter { only == nil || $0.user == only }
        let connected = people.connected(among: recipients.map(\.user))
        var notified: [UserID] = []
        for recipient in recipients {
            let facts = facts(recipient, message, isUrgent: isUrgent, isConnected: connected.contains(recipient.user))
            let decision = PushRules.decide(facts)
            switch decision {
            case .skip(.own): continue
            // Of an urgent one it is kept: the connection may be dead, and nobody has noticed yet.
            case .skip(.connected): guard isUrgent else { continue }
            case .notify: notified.append(recipient.user)
            case .hold(let end): posting.holds.append(PushHold(user: recipient.user, until: end))
            case .skip: break
            }
            posting.traces.append(
                PushTrace(
                    id: id(.message, about: record.id, for: recipient.user, device: nil), message: record.id,
                    user: recipient.user, device: nil, provider: nil, type: .message, decision: decision.name,
                    decidedAt: now))
        }
        guard !notified.isEmpty else { return }
        let registrations = try snapshot.pushRegistrations.registrations(of: notified)
        for user in notified {
            posting.notices.append(
                notice(message, event, isUrgent: isUrgent, for: user, registrations[user] ?? []))
        }
    }

    /// What is known of a member, for the rules.
    func facts(
        _ recipient: PushRecipient, _ message: PushMessage, isUrgent: Bool, isConnected: Bool
    ) -> PushRules.Facts {
        PushRules.Facts(
            .message(isUrgent: isUrgent), isMember: message.record.seq > recipient.joinedSeq, isConnected: isConnected,
            notifiesConnected: settings.pushAlways,
            isMuted: recipient.isMuted && recipient.mutedUntil.map { $0 > now } ?? true,
            isBlocked: recipient.isBlocked, isRequestWaiting: !recipient.isOpen,
            isRead: recipient.readSeq >= message.record.seq, isGone: message.record.content == nil,
            isWithheld: message.isWithheld, quietUntil: end(of: recipient.quietHours, in: recipient.timeZone))
    }

    private func notice(
        _ message: PushMessage, _ event: PushEvent, isUrgent: Bool, for user: UserID,
        _ registrations: [PushRegistration]
    ) -> PushPosting.Notice {
        let record = message.record
        let topic = PushNotification(
            id: id(.message, about: record.id, for: user, device: nil), type: .known(.message), user: user, device: nil,
            actor: record.sender.user,
            subject: NotificationSubject(conversation: record.conversation, seq: record.seq, message: record.id),
            epoch: record.epoch, badge: .countedLater, badgeAt: now, createdAt: event.createdAt,
            expiresAt: event.createdAt.advanced(by: settings.pushDeadline),
            // What disappears must not lie in a queue of the broker's for longer.
            message: record.disappearsAt == nil ? record : nil)
        return PushPosting.Notice(
            user: user, type: .message, position: event.position,
            place: PushPosting.Place(
                conversation: message.conversation, seq: record.seq, message: record.id, sender: record.sender.user),
            feed: nil, isUrgent: isUrgent, createdAt: event.createdAt, steadyAt: event.steadyAt,
            topic: topic.fitting(PushNotification.bytes),
            devices: registrations.map { registration in
                (id(.message, about: record.id, for: user, device: registration.device.device), registration)
            })
    }

    func decide(
        _ notification: NotificationID, of user: UserID, _ event: PushEvent, into posting: inout PushPosting
    ) throws {
        let found = try snapshot.pushEvents.unreadNotifications([notification])[notification]
        let registrations = try snapshot.pushRegistrations.registrations(of: [user])[user] ?? []
        guard let found, let type = found.type.value, !registrations.isEmpty || !settings.pushSink.isEmpty
        else { return }
        let quiet = try snapshot.pushEvents.quietHours(of: [user])[user]
        let decision = PushRules.decide(
            PushRules.Facts(
                .feed(type), isConnected: people.contains(user), notifiesConnected: settings.pushAlways,
                quietUntil: end(of: quiet?.hours, in: quiet?.timeZone)))
        posting.traces.append(
            PushTrace(
                id: notification, message: found.subject.message, user: user, device: nil, provider: nil,
                type: .feed(type), decision: decision.name, decidedAt: now))
        switch decision {
        case .skip: return
        case .hold(let end): posting.holds.append(PushHold(user: user, until: end))
        case .notify:
            posting.notices.append(
                PushPosting.Notice(
                    user: user, type: .feed(type), position: event.position, place: nil, feed: notification,
                    isUrgent: false, createdAt: event.createdAt, steadyAt: event.steadyAt, topic: nil,
                    devices: registrations.map { registration in
                        (
                            id(.feed(type), about: notification, for: user, device: registration.device.device),
                            registration
                        )
                    }))
        }
    }

    // MARK: After quiet hours

    /// One digest for each whose quiet hours are over, if something is unread.
    func decide(_ ended: [PushHold], steady: Timestamp, into posting: inout PushPosting) throws {
        let quiet = try snapshot.pushEvents.quietHours(of: ended.map(\.user))
        let stillQuiet = ended.compactMap { hold in
            end(of: quiet[hold.user]?.hours, in: quiet[hold.user]?.timeZone).map {
                PushHold(user: hold.user, until: $0)
            }
        }
        posting.holds += stillQuiet
        let users = ended.map(\.user).filter { user in !stillQuiet.contains { $0.user == user } }
        posting.digested += users
        let scopes = Dictionary(uniqueKeysWithValues: users.map { ($0, UnreadScope.badge(of: $0, at: now)) })
        let counts = try snapshot.unread.counts(Array(scopes.values))
        let registrations = try snapshot.pushRegistrations.registrations(of: users)
        let position = try snapshot.outbox.lastPosition()
        for user in users where settings.pushAlways || !people.contains(user) {
            guard let scope = scopes[user],
                try counts[scope] ?? 0 > 0 || snapshot.notifications.unreadCount(of: user) > 0
            else { continue }
            let topic = PushNotification(
                id: NotificationID(.ordered(at: now)), type: .known(.digest), user: user, device: nil,
                badge: .countedLater, badgeAt: now, createdAt: now,
                expiresAt: now.advanced(by: settings.pushDeadline))
            posting.traces.append(
                PushTrace(
                    id: topic.id, message: nil, user: user, device: nil, provider: nil, type: .digest,
                    decision: PushRules.Decision.notify.name, decidedAt: now))
            posting.notices.append(
                PushPosting.Notice(
                    user: user, type: .digest, position: position, place: nil, feed: nil, isUrgent: false,
                    createdAt: now,
                    steadyAt: steady, topic: topic,
                    devices: (registrations[user] ?? []).map { (NotificationID(.ordered(at: now)), $0) }))
        }
    }

    // MARK: Parts

    private func end(of hours: QuietHours?, in zone: String?) -> Timestamp? {
        guard let hours else { return nil }
        return hours.end(ifQuietAt: now, in: zone.flatMap(CivilZones.zone) ?? .utc)
    }

    func id(
        _ type: PushType, about subject: some UUIDIdentifier, for user: UserID, device: DeviceID?
    ) -> NotificationID { .push(type, about: subject, for: user, device: device) }
}

extension NotificationID {
    /// The id of a notification, the same whenever it is made.
    static func push(
        _ type: PushType, about subject: some UUIDIdentifier, for user: UserID, device: DeviceID?
    ) -> NotificationID {
        let preimage = PushID.preimage(type, about: subject, for: user, device: device)
        let digest = (try? BLAKE2b.hash(preimage.span, length: .bytes16)) ?? []
        return NotificationID(.nameBased(digest: digest) ?? .ordered(at: .earliest))
    }
}

extension PushNotification {
    /// The most bytes of a notification on the topic, and of one that a provider bounds no further.
    static let bytes = 4096
}
