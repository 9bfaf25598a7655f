import ParleyProtocol
import ParleyStore

/// An id that is none of the caller's notifications is ignored: it may have expired a moment ago.
extension MarkNotificationsRead: CommandHandler {
    enum Decision {
        case nothing
        case all
        case some([NotificationID])
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (facts, caller) = (try context.facts.notifications, context.sender.user)
        switch scope {
        case .all: return try facts.hasUnread(caller) ? .all : .nothing
        case .some(let ids):
            let unread = try facts.unread(among: ids, of: caller)
            return unread.isEmpty ? .nothing : .some(unread)
        }
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let caller = context.sender.user
        var cleared: [NotificationID]?
        switch decision {
        case .nothing: break
        case .all: try context.transaction.notifications.markAllRead(of: caller)
        case .some(let ids):
            try context.transaction.notifications.markRead(ids)
            cleared = ids
        }
        let unread = try context.transaction.facts.notifications.unreadCount(of: caller)
        switch decision {
        case .nothing: break
        case .all, .some:
            let event = NotificationsCleared(ids: cleared, unreadCount: unread, badge: .countedLater, at: context.now)
            try context.publish(event, to: caller, unread: .badge(of: caller, at: context.now))
        }
        context.accept { UnreadNotifications(unreadCount: unread).write(to: &$0) }
    }
}
