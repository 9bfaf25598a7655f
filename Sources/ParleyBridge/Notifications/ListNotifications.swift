import ParleyProtocol
import ParleyStore

/// The caller's notifications, the newest first, all with the present badge.
extension ListNotifications: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        let badge = try snapshot.unread.count(.badge(of: caller, at: context.now))
        let page = try context.page(page, of: Self.operation) { (position: NumberPosition?, page) in
            try snapshot.notifications.read(
                of: caller, before: position.map { Int($0.value) }, limit: page.limit + 1, badge: badge
            ) { entry in
                page.append(NumberPosition(value: Int64(entry.number)), entry.notification.write)
            }
        }
        let unread = try snapshot.notifications.unreadCount(of: caller)
        return { writer in
            writer.object {
                page.writeMembers(to: &$0)
                $0.member("unread_count", unread)
            }
        }
    }
}
