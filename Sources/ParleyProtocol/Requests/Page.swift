/// Which part of a list is asked for: `limit?=50, cursor?` (protocol §5). A cursor is opaque and belongs to its caller.
public struct Page: Hashable, Sendable {
    public let limit: Int
    public let cursor: String?

    public init(limit: Int = 50, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }

    /// Longer than any cursor of the gateway's, in characters.
    static let longestCursor = 256

    init(_ object: JSONObject) throws(Rejection) {
        limit = try object.integer("limit", in: 1...Limits.pageItems) ?? 50
        cursor = try object.text("cursor", maximum: Page.longestCursor)
    }

    func writeFields(to object: inout JSONWriter) {
        object.member("limit", limit)
        if let cursor { object.member("cursor", cursor) }
    }
}

/// A page of a list: `items[], next_cursor?` (protocol §5).
public struct ListPage<Item: Hashable & Sendable>: Hashable, Sendable {
    package let elements: ReadyMadeList<Item>
    /// What the next page is asked for by (``Page/cursor``); `nil` after the last.
    public let nextCursor: String?

    public var items: [Item] { elements.values }

    package init(_ elements: ReadyMadeList<Item>, nextCursor: String?) {
        self.elements = elements
        self.nextCursor = nextCursor
    }
}

extension ListPage: GatewayValue, GatewayObject where Item: GatewayObject {
    package init<Pass: FieldPass<ListPage>>(fields pass: inout Pass) throws(Pass.Failure) {
        elements = try pass.required("items", \.elements, as: .readyMadeList())
        nextCursor = try pass.optional("next_cursor", \.nextCursor, as: .text(Page.longestCursor))
    }
}
