/// A part of a list, as a device has it: `items[], next_cursor?` (protocol §5).
public struct ReceivedPage<Item: Hashable & Sendable>: Hashable, Sendable {
    public let items: [Item]
    /// What the next part is asked for by (``Page/cursor``); `nil` after the last.
    public let nextCursor: String?

    public init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }
}

extension ReceivedPage: GatewayValue where Item: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            items: try object.values("items").required("items"),
            nextCursor: try object.text("next_cursor", maximum: Page.longestCursor))
    }
}
