/// `notifications/list`
public struct ListNotifications: Query, PageRequest {
    public static let operation = Operation(validatedArea: "notifications", verb: "list")
    public typealias Reply = NotificationPage

    public let page: Page

    public init(page: Page = Page()) { self.page = page }
}

/// A page of the feed, the newest first.
public struct NotificationPage: GatewayObject {
    public let items: [FeedNotification]
    /// `nil` after the last page.
    public let nextCursor: String?
    /// Of the whole feed.
    public let unreadCount: Int

    package init<Pass: FieldPass<NotificationPage>>(fields pass: inout Pass) throws(Pass.Failure) {
        items = try pass.required("items", \.items, as: .objects())
        nextCursor = try pass.optional("next_cursor", \.nextCursor, as: .text(Page.longestCursor))
        unreadCount = try pass.required("unread_count", \.unreadCount)
    }
}

/// `notifications/mark-read`
public struct MarkNotificationsRead: Command {
    public static let operation = Operation(validatedArea: "notifications", verb: "mark-read")
    public typealias Reply = UnreadNotifications

    public enum Scope: Hashable, Sendable {
        case all
        /// At most a page's.
        case some([NotificationID])
    }

    public let scope: Scope

    public init(_ scope: Scope) { self.scope = scope }

    package init<Pass: FieldPass<MarkNotificationsRead>>(fields pass: inout Pass) throws(Pass.Failure) {
        let all = try pass.flag("all") { $0.scope == .all }
        let ids: [NotificationID]? = try pass.optional(
            "ids", { if case .some(let ids) = $0.scope { ids } else { nil } }, as: .uuids(Limits.pageItems))
        try pass.check((ids == nil) == all, or: .badRequest("ids, all", "exactly one of them"))
        scope = ids.map { .some($0) } ?? .all
    }
}

/// The `data` of an accepted `notifications/mark-read`.
public struct UnreadNotifications: GatewayObject {
    public let unreadCount: Int

    public init(unreadCount: Int) { self.unreadCount = unreadCount }

    package init<Pass: FieldPass<UnreadNotifications>>(fields pass: inout Pass) throws(Pass.Failure) {
        unreadCount = try pass.required("unread_count", \.unreadCount)
    }
}
