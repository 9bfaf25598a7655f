import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore
import Sodium

/// Decides whom to notify, by the facts of one snapshot.
struct PushPlanner {
    /// Of the main database.
    let snapshot: Snapshot
    let pushes: PushSnapshot
    let settings: Settings
    let people: ConnectedPeople
    /// `nil` of a gateway that is alone.
    var cells: (any Cells)?
    /// Whether other gateways send what is planned, too: the steady time of one is not another's.
    var sharesPushes = false
    /// The time of day.
    let now: Timestamp
    /// The greatest badges that devices may display, as far as known.
    var lastBadges: [UserID: Int] = [:]

    /// The most events that are decided at once.
    static let eventsAtOnce = 64
    /// A plan with so many notices and clearances takes no further event: messages wait for the transaction that
    /// publishes it.
    static let noticesAtOnce = 64

    // MARK: Events

    /// Decides events in their order, as many as go into one plan.
    func decide(_ events: [PushEvent], into plan: inout PushPlan) throws {
        for event in events {
            guard plan.notices.count + plan.clearances.count < PushPlanner.noticesAtOnce else { return }
            do {
                try decide(event, into: &plan)
            } catch {
                // A row that cannot be read now never will be, and must not hold up other events.
                guard !StoreError(error).isPassing else { throw error }
                plan.undecidable += 1
            }
            if let key = event.key { plan.decided.append(key) }
        }
    }

    /// The users among these with a connected device, at whichever cell.
    private func connected(among users: [UserID]) throws -> Set<UserID> {
        let here = people.connected(among: users)
        guard let cells, here.count < users.count else { return here }
        return here.union(
            try cells.connected(among: users.filter { !here.contains($0) }, elsewhere: true, in: snapshot))
    }

    private func decide(_ event: PushEvent, into plan: inout PushPlan) throws {
        let origin = PushPlan.Origin(
            position: event.position, createdAt: event.createdAt,
            steadyAt: sharesPushes ? event.createdAt : event.steadyAt)
        switch event.subject {
        case .message(_, _, let isUrgent):
            guard let message = try snapshot.pushEvents.message(at: event.position) else { return }
            try decide(message, origin, isUrgent: isUrgent, into: &plan)
        case .clearing(let conversation, let seq, let user, let device):
            try clear(conversation, seq: seq, of: user, besides: device, origin, into: &plan)
        case .removal(let conversation, let seq): try clearRemoved(seq, of: conversation, origin, into: &plan)
        case .feed(let notification, let user):
            try decide(notification, of: user, origin, into: &plan)
        case .registrationEnd(let device):
            plan.endedRegistrations.append((device, try snapshot.pushRegistrations.registration(of: device)?.number))
        case .registrationChange(let device):
            if let registration = try snapshot.pushRegistrations.registration(of: device) {
                plan.newRegistrations.append(registration)
            }
        case .quietHours(let user): plan.changedQuietHours.append(user)
        case .test(let id, let device): try test(id, of: device, origin, into: &plan)
        }
    }

    private func test(
        _ id: NotificationID, of device: DeviceAddress, _ origin: PushPlan.Origin, into plan: inout PushPlan
    ) throws {
        guard let registration = try snapshot.pushRegistrations.registration(of: device) else {
            plan.unreachable.append(id)
            plan.traces.append(PushTrace(test: id, of: device, nil, at: now))
            return
        }
        plan.tests.append(
            PushPlan.Notice(
                user: device.user, type: .test, origin: origin, isUrgent: true, devices: [(id, registration)]))
    }

    /// - Parameter only: the one member to decide for; `nil` for all.
    func decide(
        _ message: PushMessage, _ origin: PushPlan.Origin, isUrgent: Bool, only: UserID? = nil,
        into plan: inout PushPlan
    ) throws {
        let record = message.record
        let recipients = try snapshot.pushEvents.recipients(
            in: message.conversation, besides: record.sender.user, only: only)
        let connected = try connected(among: recipients.map(\.user))
        var notified: [UserID] = []
        for recipient in recipients {
            let decision = PushRules.decide(
                PushRules.Facts(
                    message, for: recipient, isUrgent: isUrgent, isConnected: connected.contains(recipient.user),
                    notifiesConnected: settings.pushAlways,
                    quietUntil: recipient.quietHours?.end(ifQuietAt: now, in: recipient.timeZone), now: now))
            switch decision {
            case .skip(.own): continue
            // Of an urgent message it is traced: the connection may be dead without anybody having noticed.
            case .skip(.connected): guard isUrgent else { continue }
            case .notify: notified.append(recipient.user)
            case .hold(let end): plan.holds.append(PushHold(user: recipient.user, until: end))
            case .skip: break
            }
            plan.traces.append(
                PushTrace(
                    id: .push(.message, about: record.id, for: recipient.user, device: nil), message: record.id,
                    user: recipient.user, type: .message, decision: decision.name,
                    decidedAt: now))
        }
        guard !notified.isEmpty else { return }
        let registrations = try snapshot.pushRegistrations.registrations(of: notified)
        for user in notified {
            plan.notices.append(
                PushPlan.Notice(
                    user: user, type: .message, origin: origin,
                    entry: PushPlan.LogEntry(message, at: origin.position), isUrgent: isUrgent,
                    topic: topic(message, for: user, createdAt: origin.createdAt),
                    devices: (registrations[user] ?? []).map { registration in
                        let device = registration.device.device
                        return (.push(.message, about: record.id, for: user, device: device), registration)
                    }))
        }
    }

    /// The notification on a user's topic.
    private func topic(_ message: PushMessage, for user: UserID, createdAt: Timestamp) -> PushNotification {
        let record = message.record
        return PushNotification(
            id: .push(.message, about: record.id, for: user, device: nil), type: .known(.message), user: user,
            device: nil,
            actor: record.sender.user,
            subject: NotificationSubject(conversation: record.conversation, seq: record.seq, message: record.id),
            epoch: record.epoch, badge: .countedLater, badgeAt: now, createdAt: createdAt,
            expiresAt: createdAt.advanced(by: settings.pushDeadline),
            // The broker may queue it for longer than a message that disappears.
            message: record.disappearsAt == nil ? record : nil
        ).fitting(PushNotification.bytes)
    }

    func decide(
        _ notification: NotificationID, of user: UserID, _ origin: PushPlan.Origin, into plan: inout PushPlan
    ) throws {
        let found = try snapshot.pushEvents.unreadNotifications([notification])[notification]
        let registrations = try snapshot.pushRegistrations.registrations(of: [user])[user] ?? []
        guard let found, let type = found.type.value, !registrations.isEmpty || !settings.pushSink.isEmpty
        else { return }
        let quiet = try snapshot.pushEvents.quietHours(of: [user])[user]
        let decision = PushRules.decide(
            PushRules.Facts(
                .feed(type), isConnected: try connected(among: [user]).contains(user),
                notifiesConnected: settings.pushAlways,
                quietUntil: quiet?.hours.end(ifQuietAt: now, in: quiet?.timeZone)))
        plan.traces.append(
            PushTrace(
                id: notification, message: found.subject.message, user: user,
                type: .feed(type), decision: decision.name, decidedAt: now))
        switch decision {
        case .skip: return
        case .hold(let end): plan.holds.append(PushHold(user: user, until: end))
        case .notify:
            plan.notices.append(
                PushPlan.Notice(
                    user: user, type: .feed(type), origin: origin, feed: notification,
                    devices: registrations.map { registration in
                        let device = registration.device.device
                        return (.push(.feed(type), about: notification, for: user, device: device), registration)
                    }))
        }
    }

    // MARK: After quiet hours

    /// One digest for each user whose quiet hours have ended, if something is unread.
    func decide(_ ended: [PushHold], steady: Timestamp, into plan: inout PushPlan) throws {
        let quiet = try snapshot.pushEvents.quietHours(of: ended.map(\.user))
        let stillQuiet = ended.compactMap { hold in
            quiet[hold.user].flatMap { $0.hours.end(ifQuietAt: now, in: $0.timeZone) }
                .map { PushHold(user: hold.user, until: $0) }
        }
        plan.holds += stillQuiet
        let users = ended.map(\.user).filter { user in !stillQuiet.contains { $0.user == user } }
        plan.digested += users
        let counts = try snapshot.unread.counts(users.map { .badge(of: $0, at: now) })
        let registrations = try snapshot.pushRegistrations.registrations(of: users)
        let origin = PushPlan.Origin(
            position: try snapshot.outbox.lastPosition(), createdAt: now, steadyAt: steady)
        let connected = try connected(among: users)
        for user in users where settings.pushAlways || !connected.contains(user) {
            guard
                try counts[.badge(of: user, at: now)] ?? 0 > 0
                    || snapshot.notifications.unreadCount(of: user) > 0
            else { continue }
            let topic = digest(NotificationID(.ordered(at: now)), for: user, createdAt: now)
            plan.traces.append(
                PushTrace(
                    id: topic.id, user: user, type: .digest, decision: PushRules.Decision.notify.name, decidedAt: now))
            plan.notices.append(
                PushPlan.Notice(
                    user: user, type: .digest, origin: origin, topic: topic,
                    devices: (registrations[user] ?? []).map { (NotificationID(.ordered(at: now)), $0) }))
        }
    }

    private func digest(_ id: NotificationID, for user: UserID, createdAt: Timestamp) -> PushNotification {
        PushNotification(
            id: id, type: .known(.digest), user: user, device: nil, badge: .countedLater, badgeAt: now,
            createdAt: createdAt, expiresAt: createdAt.advanced(by: settings.pushDeadline))
    }

    // MARK: The plan of an earlier process

    /// The main database's part of a plan that an earlier process wrote.
    func announcement(_ record: PushPlanRecord) throws -> PushAnnouncement.Plan {
        var plan = PushAnnouncement.Plan(number: record.number, decidedThrough: record.decidedThrough)
        for row in record.announcements {
            do {
                try append(row, to: &plan)
            } catch {
                // A row that cannot be read holds up no other, and no later plan.
                guard !StoreError(error).isPassing else { throw error }
            }
        }
        return plan
    }

    private func append(_ row: PushAnnouncementRecord, to plan: inout PushAnnouncement.Plan) throws {
        switch row.kind {
        case .message(let position):
            guard let message = try snapshot.pushEvents.message(at: position) else { return }
            plan.topics.append(
                (topic(message, for: row.user, createdAt: row.createdAt), PushPlan.LogEntry(message, at: position)))
        case .digest:
            plan.topics.append((digest(row.id, for: row.user, createdAt: row.createdAt), nil))
        case .clearance(let conversation, let seq):
            guard let log = try snapshot.pushEvents.log(of: conversation) else { return }
            plan.clearances.append((row.id, row.user, log, seq))
        }
    }
}

extension PushPlan.LogEntry {
    fileprivate init(_ message: PushMessage, at position: StreamPosition) {
        self.init(
            conversation: message.conversation, seq: message.record.seq, message: message.record.id,
            sender: message.record.sender.user, position: position)
    }
}

extension PushTrace {
    /// A test by an operator.
    init(test id: NotificationID, of device: DeviceAddress, _ provider: PushProvider?, at time: Timestamp) {
        self.init(
            id: id, user: device.user, device: device.device, provider: provider, type: .test,
            decision: PushRules.Decision.notify.name, decidedAt: time)
    }
}

extension NotificationID {
    /// The name-based id of a notification.
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
