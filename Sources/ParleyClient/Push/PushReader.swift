import ParleyCrypto
import ParleyProtocol

/// What a device has, as a push is held against it: that of a running client, or what one has left on the disk.
protocol PushSource {
    var device: DeviceAddress { get }
    /// The time by which messages disappear.
    var now: Timestamp { get }

    /// The message as it is kept, by its id, or else by its place.
    func kept(at place: OpenedPush.Place) throws -> ChatMessage?
    /// Up to where the user has read a conversation in its present epoch; `nil` where that is not known.
    func read(in conversation: ConversationID) throws -> (epoch: String, seq: Int)?
    /// A record that is not kept, opened by the keys that are trusted now, or with why it cannot be.
    func opened(_ record: MessageRecord) -> ChatMessage
    /// Whether the person has compared the account key of a user.
    func isVerified(_ user: UserID) -> Bool
}

extension PushSource {
    /// What a notification is to this device. It may hold anything.
    func read(_ notification: PushNotification) throws -> OpenedPush {
        guard notification.user == device.user, notification.device.map({ $0 == device.device }) ?? true else {
            return OpenedPush(notification, .unopened(.notForThisDevice), at: nil, badge: nil)
        }
        let badge = Badge(count: notification.badge.number, at: notification.badgeAt)
        let place = notification.place
        let content: OpenedPush.Content
        switch notification.type {
        case .known(.clear): content = place?.seq == nil ? .unopened(.contradictory) : .clear
        case _ where notification.expiresAt <= now: content = .unopened(.expired)
        case .known(.message): content = try message(of: notification)
        case .known(.digest): content = .digest
        case .known(.test): content = .test
        case .known(.wakeUp): content = .wakeUp
        case .known(.feed): content = .feed(notification.feedNotification)
        case .unknown(let name): content = .unopened(.unknownType(name))
        }
        return OpenedPush(notification, content, at: place, badge: badge)
    }

    private func message(of notification: PushNotification) throws -> OpenedPush.Content {
        guard let place = notification.place, place.seq != nil, place.epoch != nil,
            notification.message?.isAt(place) ?? true
        else { return .unopened(.contradictory) }
        // What is kept was opened when it came, and has become what it is since.
        let kept = try kept(at: place)
        guard let message = kept ?? notification.message.map({ opened($0) }) else { return .unopened(.reference) }
        guard message.kind == .known(.message), message.sender.user != device.user, !message.isResending else {
            return .unopened(.contradictory)
        }
        if let end = message.expiresAt, end <= now { return .unopened(.expired) }
        switch message.content {
        case .removed: return .unopened(.deleted)
        case .unreadable(let reason): return .unopened(.sealed(reason))
        case .opened, .system: break
        }
        var isRead = false
        if let place = message.place, let mark = try read(in: message.conversation), mark.epoch == place.epoch {
            isRead = place.seq <= mark.seq
        }
        return .message(
            PushedMessage(message: message, isSenderVerified: isVerified(message.sender.user), isRead: isRead))
    }
}

extension OpenedPush {
    fileprivate init(_ notification: PushNotification, _ content: Content, at place: Place?, badge: Badge?) {
        self.init(
            id: notification.id, content: content, place: place, badge: badge, createdAt: notification.createdAt)
    }
}

extension PushNotification {
    fileprivate var place: OpenedPush.Place? {
        subject.conversation.map {
            OpenedPush.Place(conversation: $0, epoch: epoch, seq: subject.seq, message: subject.message ?? message?.id)
        }
    }

    /// The same as an item of the feed.
    var feedNotification: FeedNotification {
        FeedNotification(
            id: id, type: Named(type.name), actor: actor, subject: subject, badge: badge, isRead: isRead,
            createdAt: createdAt, expiresAt: expiresAt)
    }
}

extension MessageRecord {
    /// Whether a notification is about it.
    fileprivate func isAt(_ place: OpenedPush.Place) -> Bool {
        conversation == place.conversation && epoch == place.epoch && seq == place.seq && id == place.message
    }
}
