/// The requested part of a list: `limit?=50, cursor?` (protocol §5). A cursor is opaque and belongs to its caller.
public struct Page: GatewayObject {
    public let limit: Int
    public let cursor: String?

    public init(limit: Int = 50, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }

    /// Longer than any cursor of the gateway's, in characters.
    static let longestCursor = 256

    package init<Pass: FieldPass<Page>>(fields pass: inout Pass) throws(Pass.Failure) {
        limit = try pass.required("limit", \.limit, as: .integer(1...Limits.pageItems), default: 50)
        cursor = try pass.optional("cursor", \.cursor, as: .text(Page.longestCursor), without: .omitted)
    }
}

/// A page of a list: `items[], next_cursor?` (protocol §5).
public struct ListPage<Item: Hashable & Sendable>: Hashable, Sendable {
    public let items: [Item]
    /// The cursor of the next page (``Page/cursor``); `nil` after the last.
    public let nextCursor: String?
}

extension ListPage: GatewayValue, FieldGroup, GatewayObject where Item: GatewayObject {
    package init<Pass: FieldPass<ListPage>>(fields pass: inout Pass) throws(Pass.Failure) {
        items = try pass.required("items", \.items, as: .objects())
        nextCursor = try pass.optional("next_cursor", \.nextCursor, as: .text(Page.longestCursor))
    }
}
