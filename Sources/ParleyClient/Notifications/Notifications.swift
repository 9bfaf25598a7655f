import ParleyProtocol

extension MessagingClient {
    /// What concerns the user and is no message.
    public nonisolated var notifications: Notifications { Notifications(client: self) }

    /// The feed of notifications: ``MessagingClient/notifications``. What is new in it while there is a connection
    /// comes as ``ClientEvent/gateway(_:)``.
    ///
    /// It is the gateway's to keep: without a connection these calls fail.
    public struct Notifications: Sendable {
        let client: MessagingClient

        /// The newest first, and how many are unread. The gateway keeps them for seven days.
        public func list(page: Page = Page()) async throws(ClientError) -> NotificationPage {
            try await client.ask(ListNotifications(page: page))
        }

        /// - Parameter ids: at most 200. Those that are not in the feed any more are passed over.
        /// - Returns: how many are unread now.
        @discardableResult
        public func markRead(_ ids: [NotificationID]) async throws(ClientError) -> Int {
            try await client.ask(MarkNotificationsRead(.some(ids))).unreadCount
        }

        public func markAllRead() async throws(ClientError) {
            try await client.ask(MarkNotificationsRead(.all))
        }
    }
}
