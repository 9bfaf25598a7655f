/// `notifications/list`
public struct ListNotifications: Query, PageRequest {
    public static let operation = Operation(validatedArea: "notifications", verb: "list")
    public typealias Reply = NotificationPage

    public let page: Page

    public init(page: Page = Page()) { self.page = page }
}

/// A page of the feed, the newest first.
public struct NotificationPage: Hashable, Sendable {
    package let elements: ReadyMadeList<FeedNotification>
    /// `nil` after the last page.
    public let nextCursor: String?
    /// How many are unread in the whole feed.
    public let unreadCount: Int

    public var items: [FeedNotification] { elements.values }

    package init(_ elements: ReadyMadeList<FeedNotification>, nextCursor: String?, unreadCount: Int) {
        self.elements = elements
        self.nextCursor = nextCursor
        self.unreadCount = unreadCount
    }
}

extension NotificationPage: GatewayObject {
    package init<Pass: FieldPass<NotificationPage>>(fields pass: inout Pass) throws(Pass.Failure) {
        elements = try pass.required("items", \.elements, as: .readyMadeList())
        nextCursor = try pass.optional("next_cursor", \.nextCursor, as: .text(Page.longestCursor))
        unreadCount = try pass.required("unread_count", \.unreadCount)
    }
}

/// `notifications/mark-read`
public struct MarkNotificationsRead: Command {
    public static let operation = Operation(validatedArea: "notifications", verb: "mark-read")
    public static let fields = "ids or all"
    public typealias Reply = UnreadNotifications

    public enum Scope: Hashable, Sendable {
        case all
        /// At most a page's.
        case some([NotificationID])
    }

    public let scope: Scope

    public init(_ scope: Scope) { self.scope = scope }

    public init(_ object: JSONObject) throws(Rejection) {
        let all = try object.bool("all") ?? false
        let ids: [NotificationID]? = try object.uuids("ids", maximum: Limits.pageItems)
        switch (ids, all) {
        case (let ids?, false): scope = .some(ids)
        case (nil, true): scope = .all
        case (nil, false), (_?, true): throw .badRequest("ids, all", "exactly one of them")
        }
    }

    public func writeFields(to object: inout JSONWriter) {
        switch scope {
        case .all: object.member("all", true)
        case .some(let ids): object.member("ids", array: ids) { $1.write(to: &$0) }
        }
    }
}

/// The `data` of an accepted `notifications/mark-read`.
public struct UnreadNotifications: Hashable, Sendable {
    public let unreadCount: Int

    public init(unreadCount: Int) { self.unreadCount = unreadCount }
}

extension UnreadNotifications: GatewayObject {
    package init<Pass: FieldPass<UnreadNotifications>>(fields pass: inout Pass) throws(Pass.Failure) {
        unreadCount = try pass.required("unread_count", \.unreadCount)
    }
}
