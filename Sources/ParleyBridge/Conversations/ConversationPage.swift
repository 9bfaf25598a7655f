import ParleyProtocol
import ParleyStore

/// A page of a user's conversations, the last active first.
struct ConversationPage {
    private let listings: [[UInt8]]
    private let total: Int

    static func read(
        _ request: ListConversations, for user: UserID, _ snapshot: Snapshot
    ) throws -> ConversationPage {
        // Nothing can be archived yet.
        guard !request.archived else { return ConversationPage(listings: [], total: 0) }
        var listings: [[UInt8]] = []
        var bytes = 0
        for key in try snapshot.conversationKeys(of: user, limit: request.limit, offset: request.offset) {
            guard let listing = try snapshot.listing(key, for: user) else { continue }
            var writer = JSONWriter()
            listing.write(to: &writer)
            guard listings.isEmpty || bytes + writer.count <= Limits.pageBytes else { break }
            bytes += writer.count + 1
            listings.append(writer.finish())
        }
        return ConversationPage(listings: listings, total: try snapshot.conversationCount(of: user))
    }

    func write(to writer: inout JSONWriter, _ request: ListConversations) {
        writer.object { object in
            object.member("conversations", array: listings) { $0.raw($1) }
            object.member("total", total)
            object.member("limit", request.limit)
            object.member("offset", request.offset)
        }
    }
}
