import ParleyProtocol
import ParleyStore

/// An id that is none of the caller's notifications is ignored: it may have expired a moment ago.
extension MarkNotificationsRead: CommandHandler {
    enum Decision {
        case nothing
        /// These, or all.
        case mark([NotificationID]?)
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (facts, caller) = (try context.facts.notifications, context.sender.user)
        switch scope {
        case .all: return try facts.hasUnread(caller) ? .mark(nil) : .nothing
        case .some(let ids):
            let unread = try facts.unread(among: ids, of: caller)
            return unread.isEmpty ? .nothing : .mark(unread)
        }
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let (caller, notifications) = (context.sender.user, try context.transaction.notifications)
        if case .mark(let ids) = decision {
            if let ids { try notifications.markRead(ids) } else { try notifications.markAllRead(of: caller) }
        }
        let unread = try context.transaction.facts.notifications.unreadCount(of: caller)
        if case .mark(let ids) = decision {
            let event = NotificationsCleared(ids: ids, unreadCount: unread, badge: .countedLater, at: context.now)
            try context.publish(event, to: caller, unread: .badge(of: caller, at: context.now))
        }
        context.accept { UnreadNotifications(unreadCount: unread).write(to: &$0) }
    }
}
