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
