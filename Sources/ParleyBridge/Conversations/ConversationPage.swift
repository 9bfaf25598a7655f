import ParleyProtocol
import ParleyStore

/// A page of a user's conversations, the last active first.
package struct ConversationPage {
    private let listings: [[UInt8]]
    private let total: Int

    package static func read(
        _ request: ListConversations, for user: UserID, _ snapshot: Snapshot, now: Timestamp
    ) throws -> ConversationPage {
        var listings: [[UInt8]] = []
        var (bytes, counted) = (0, 0)
        let keys = try snapshot.conversationKeys(
            of: user, archived: request.archived, limit: request.limit, offset: request.offset)
        for key in keys {
            guard counted < PageBudget.unreadCounts else { break }
            guard let listing = try snapshot.listing(key, for: user, now: now) else { continue }
            counted += listing.unreadCount
            var writer = JSONWriter()
            listing.write(to: &writer)
            guard listings.isEmpty || bytes + writer.count <= Limits.pageBytes else { break }
            bytes += writer.count + 1
            listings.append(writer.finish())
        }
        return ConversationPage(
            listings: listings, total: try snapshot.conversationCount(of: user, archived: request.archived))
    }

    package func write(to writer: inout JSONWriter, _ request: ListConversations) {
        writer.object { object in
            object.member("conversations", array: listings) { $0.raw($1) }
            object.member("total", total)
            object.member("limit", request.limit)
            object.member("offset", request.offset)
        }
    }
}

extension ListConversations: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let page = try ConversationPage.read(self, for: context.caller.user, context.snapshot, now: context.now)
        outgoing.accept(context.route) { page.write(to: &$0, self) }
    }
}
