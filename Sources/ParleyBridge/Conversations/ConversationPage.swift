import ParleyProtocol
import ParleyStore

/// A page of a user's conversations, the last active first.
package struct ConversationPage {
    /// The elements of the page's array, comma between them.
    private let listings: [UInt8]
    private let total: Int

    package static func read(
        _ request: ListConversations, for user: UserID, _ snapshot: Snapshot, now: Timestamp
    ) throws -> ConversationPage {
        var page = PageBuilder<ConversationKey>(limit: request.limit)
        var counted = 0
        let keys = try snapshot.listings.keys(
            of: user, archived: request.archived, limit: request.limit, offset: request.offset)
        for key in keys {
            guard counted < PageBudget.unreadCounts else { break }
            guard let listing = try snapshot.listings.listing(key, for: user, now: now) else { continue }
            counted += listing.listEntry?.unread.number ?? 0
            guard page.append(key, { listing.write(to: &$0) }) else { break }
        }
        return ConversationPage(
            listings: page.json, total: try snapshot.listings.count(of: user, archived: request.archived))
    }

    package func write(to writer: inout JSONWriter, _ request: ListConversations) {
        ConversationList(.json(listings), total: total, limit: request.limit, offset: request.offset).write(to: &writer)
    }
}

extension ListConversations: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let page = try ConversationPage.read(self, for: context.caller.user, context.snapshot, now: context.now)
        outgoing.accept(context.route) { page.write(to: &$0, self) }
    }
}
