import ParleyProtocol

/// The state that a push is opened with: a running client's, or the stored one.
protocol PushSource {
    var device: DeviceAddress { get }
    var now: Timestamp { get }

    /// The stored message, by its id, or else by its position.
    func kept(at position: OpenedPush.Position) throws -> ChatMessage?
    /// The user's read mark in the present epoch; `nil` if unknown.
    func read(in conversation: ConversationID) throws -> (epoch: String, seq: Int)?
    /// A record that is not stored, opened if possible.
    func opened(_ record: MessageRecord) -> ChatMessage
    func isVerified(_ user: UserID) -> Bool
}

extension PushSource {
    /// Opens a notification, whose content is untrusted.
    func read(_ notification: PushNotification) throws -> OpenedPush {
        guard notification.user == device.user, notification.device.map({ $0 == device.device }) ?? true else {
            return OpenedPush(notification, .unopened(.notForThisDevice), at: nil, badge: nil)
        }
        let badge = Badge(count: notification.badge.number, at: notification.badgeAt)
        let position = notification.position
        let content: OpenedPush.Content
        switch notification.type {
        case .known(.clear): content = position?.seq == nil ? .unopened(.contradictory) : .clear
        case _ where notification.expiresAt <= now: content = .unopened(.expired)
        case .known(.message): content = try message(of: notification)
        case .known(.digest): content = .digest
        case .known(.test): content = .test
        case .known(.wakeUp): content = .wakeUp
        case .known(.feed): content = .feed(notification.feedNotification)
        case .unknown(let name): content = .unopened(.unknownType(name))
        }
        return OpenedPush(notification, content, at: position, badge: badge)
    }

    private func message(of notification: PushNotification) throws -> OpenedPush.Content {
        guard let position = notification.position, position.seq != nil, position.epoch != nil,
            notification.message?.isAt(position) ?? true
        else { return .unopened(.contradictory) }
        // A stored message was verified when it came, and has later changes.
        let kept = try kept(at: position)
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
        if let position = message.position, let mark = try read(in: message.conversation), mark.epoch == position.epoch
        {
            isRead = position.seq <= mark.seq
        }
        return .message(
            PushedMessage(message: message, isSenderVerified: isVerified(message.sender.user), isRead: isRead))
    }
}

extension OpenedPush {
    fileprivate init(_ notification: PushNotification, _ content: Content, at position: Position?, badge: Badge?) {
        self.init(
            id: notification.id, content: content, position: position, badge: badge, createdAt: notification.createdAt)
    }
}

extension PushNotification {
    fileprivate var position: OpenedPush.Position? {
        subject.conversation.map {
            OpenedPush.Position(
                conversation: $0, epoch: epoch, seq: subject.seq, message: subject.message ?? message?.id)
        }
    }

    /// As an item of the feed.
    var feedNotification: FeedNotification {
        FeedNotification(
            id: id, type: Named(type.name), actor: actor, subject: subject, badge: badge, isRead: isRead,
            createdAt: createdAt, expiresAt: expiresAt)
    }
}

extension MessageRecord {
    /// Whether it is the message that a notification names.
    fileprivate func isAt(_ position: OpenedPush.Position) -> Bool {
        conversation == position.conversation && epoch == position.epoch && seq == position.seq
            && id == position.message
    }
}
