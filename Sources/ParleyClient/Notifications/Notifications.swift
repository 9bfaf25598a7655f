import ParleyProtocol

extension MessagingClient {
    /// The feed of notifications.
    public nonisolated var notifications: Notifications { Notifications(client: self) }

    /// The feed of notifications: ``MessagingClient/notifications``. New items come as ``ClientEvent/gateway(_:)``.
    ///
    /// The gateway stores it: without a connection these calls fail.
    public struct Notifications: Sendable {
        let client: MessagingClient

        /// The items, newest first, and the unread count. The gateway keeps them for seven days.
        public func list(page: Page = Page()) async throws(ClientError) -> NotificationPage {
            try await client.ask(ListNotifications(page: page))
        }

        /// - Parameter ids: at most 200; unknown ones are ignored.
        /// - Returns: the new unread count.
        @discardableResult
        public func markRead(_ ids: [NotificationID]) async throws(ClientError) -> Int {
            try await client.ask(MarkNotificationsRead(.some(ids))).unreadCount
        }

        public func markAllRead() async throws(ClientError) {
            try await client.ask(MarkNotificationsRead(.all))
        }
    }
}
